package io.latimer.operators.nmt;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.index.ResidentIndexes.Lease;
import io.latimer.operators.nmt.cpu.CpuWeights;
import io.latimer.operators.nmt.cpu.DecodeCpu;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.gpu.DecodeGpu;
import io.latimer.operators.nmt.gpu.GpuWeights;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.QualityFeature;
import io.latimer.operators.nmt.model.SearchSettings;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.quality.QualityModel;
import io.latimer.operators.text.Guidance;
import io.latimer.operators.text.TextPipeline;
import java.util.Optional;
import java.util.function.Function;

/**
 * The parts of a translation model that translators on a device share. They exclude the weights as
 * stored in the file, which would otherwise be kept twice.
 */
public final class LoadedTranslator implements AutoCloseable {
  private final String id;
  private final String version;
  private final TextPipeline pipeline;
  private final Weights weights;

  private final boolean alignsNext;
  private final Optional<QualityModel<QualityFeature>> quality;

  /** Makes decoders with the network on a device, and releases the network. */
  private record Weights(Function<DecodeOptions, Decode> decoder, Runnable close) {}

  private LoadedTranslator(
      String id,
      String version,
      TextPipeline pipeline,
      Weights weights,
      boolean alignsNext,
      Optional<QualityModel<QualityFeature>> quality) {
    this.quality = quality;
    this.alignsNext = alignsNext;
    this.id = id;
    this.version = version;
    this.pipeline = pipeline;
    this.weights = weights;
  }

  /**
   * Loads a model.
   *
   * @param precision one that the device supports
   */
  public static LoadedTranslator load(IndexFile file, Device device, NmtPrecision precision) {
    TranslationModel model = TranslationModel.open(file);
    try {
      return new LoadedTranslator(
          model.id(),
          model.version(),
          model.pipeline(),
          weights(model.network(), device, precision),
          model.network().settings().alignsNext(),
          model.quality());
    } catch (RuntimeException e) {
      model.close();
      throw e;
    }
  }

  /**
   * Takes hold of a model, which is loaded once per process, device and precision.
   *
   * @param precision one that the device supports
   */
  static Lease<LoadedTranslator> acquire(
      ResidentIndexes residents, IndexRef ref, Device device, NmtPrecision precision) {
    return residents.acquire(
        ref,
        device,
        LoadedTranslator.class,
        precision.toString(),
        (file, on) -> load(file, on, precision));
  }

  private static Weights weights(Network network, Device device, NmtPrecision precision) {
    if (device.kind() == Device.Kind.GPU) {
      GpuWeights resident = new GpuWeights(network, device, precision);
      SharedDecoders shared = new SharedDecoders(options -> new DecodeGpu(resident, options));
      SearchSettings search = network.settings().search();
      return new Weights(options -> shared.get(options.forModel(search)), resident::close);
    }
    CpuWeights resident = CpuWeights.of(network, precision);
    return new Weights(options -> new DecodeCpu(resident, options), resident::close);
  }

  /**
   * Identifies the model.
   *
   * @param guidance for records that say nothing themselves
   * @throws io.latimer.operators.OperatorException if the model lacks a language
   */
  public Translate.Model model(Guidance guidance) {
    return new Translate.Model(
        id, version, pipeline.sourceLanguage(guidance), pipeline.targetLanguage(guidance));
  }

  public TextPipeline pipeline() {
    return pipeline;
  }

  /** What judges whether its translations are right, if there is something. */
  public Optional<QualityModel<QualityFeature>> quality() {
    return quality;
  }

  /**
   * A decoder, which must be closed before this object. On a GPU, all decoders with the same
   * options are one.
   */
  public Decode decoder(DecodeOptions options) {
    return weights.decoder().apply(options);
  }

  /** A decoder of sentences, which must be closed before this object. */
  DecodeSentences sentenceDecoder(DecodeOptions options) {
    boolean given = options.has(DecodeOptions.Switch.GIVEN);
    return new DecodeSentences(decoder(options), alignsNext, given);
  }

  @Override
  public void close() {
    try {
      weights.close().run();
    } finally {
      pipeline.close();
    }
  }
}
