package io.latimer.operators;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.lm.GpuLanguageModel;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.ScoreWords;
import io.latimer.operators.lm.ScoreWordsCpu;
import io.latimer.operators.lm.ScoreWordsGpu;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.ngram.CountNgrams;
import io.latimer.operators.ngram.CountNgramsCpu;
import io.latimer.operators.ngram.CountNgramsGpu;
import io.latimer.operators.ngram.NgramOptions;
import io.latimer.operators.nmt.LoadedTranslator;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.NmtPrecision;
import java.nio.file.Path;
import java.util.function.Function;

/** Makes operators: the one place that knows which implementation works on which device. */
public final class Operators {
  private Operators() {}

  /**
   * Makes a counter of byte n-grams.
   *
   * @throws OperatorException if the device cannot be used
   */
  public static CountNgrams<byte[]> countBytes(NgramOptions options, Device device) {
    if (device.kind() == Device.Kind.GPU) {
      return CountNgramsGpu.ofBytes(options, device);
    }
    return CountNgramsCpu.ofBytes(options, Runtime.getRuntime().availableProcessors());
  }

  /**
   * Makes a counter of word n-grams.
   *
   * @throws OperatorException if the device cannot be used
   */
  public static CountNgrams<int[]> countWords(NgramOptions options, Device device) {
    if (device.kind() == Device.Kind.GPU) {
      return CountNgramsGpu.ofWords(options, device);
    }
    return CountNgramsCpu.ofWords(options, Runtime.getRuntime().availableProcessors());
  }

  /**
   * Makes a translator of raw text.
   *
   * <p>The model is loaded once per process and device and shared by all translators of it; it is
   * given back when the last of them is closed.
   *
   * @param ref the model file
   * @param device where to work
   * @param options what is wanted
   * @throws OperatorException when the file is not the model that is meant, or cannot be loaded
   */
  public static Translate translate(IndexRef ref, Device device, TranslateOptions options) {
    return translate(ResidentIndexes.process(), ref, device, options);
  }

  /**
   * Makes a translator of raw text.
   *
   * @param model the model file, which is read whole to know its content
   * @see #translate(IndexRef, Device, TranslateOptions)
   */
  public static Translate translate(Path model, Device device, TranslateOptions options) {
    return translate(IndexRefs.of(model), device, options);
  }

  /**
   * Makes a translator of raw text.
   *
   * @param residents where the model is shared
   * @see #translate(IndexRef, Device, TranslateOptions)
   */
  public static Translate translate(
      ResidentIndexes residents, IndexRef ref, Device device, TranslateOptions options) {
    NmtPrecision precision = options.precisionOn(device);
    ResidentIndexes.Lease<LoadedTranslator> lease =
        residents.acquire(
            ref,
            device,
            LoadedTranslator.class,
            precision.toString(),
            (file, on) -> LoadedTranslator.load(file, on, precision));
    try {
      LoadedTranslator loaded = lease.get();
      Decode decode = loaded.decoder(Translate.decodeOptions(options, loaded.pipeline()));
      return new Translate(loaded.pipeline(), decode, options, loaded.model(), lease);
    } catch (RuntimeException e) {
      lease.close();
      throw e;
    }
  }

  /**
   * Makes a scorer of texts by a language model.
   *
   * <p>The model is opened once per process and device and shared by all scorers of it; it is given
   * back when the last of them is closed.
   *
   * @param ref the model file
   * @param device where to work
   * @throws OperatorException when the file is not the model that is meant, or the device cannot be
   *     used
   */
  public static Score score(IndexRef ref, Device device, ScoreOptions options) {
    return score(ResidentIndexes.process(), ref, device, options);
  }

  /**
   * Makes a scorer of texts by a language model.
   *
   * @param model the model file, which is read whole to know its content
   * @see #score(IndexRef, Device, ScoreOptions)
   */
  public static Score score(Path model, Device device, ScoreOptions options) {
    return score(IndexRefs.of(model), device, options);
  }

  /**
   * Makes a scorer of texts by a language model.
   *
   * @param residents where the model is shared
   * @see #score(IndexRef, Device, ScoreOptions)
   */
  public static Score score(
      ResidentIndexes residents, IndexRef ref, Device device, ScoreOptions options) {
    int threads = Runtime.getRuntime().availableProcessors();
    if (device.kind() == Device.Kind.GPU) {
      return score(
          residents.acquire(
              ref,
              device,
              GpuLanguageModel.class,
              (file, on) -> new GpuLanguageModel(LanguageModel.open(file), on)),
          ScoreWordsGpu::new,
          options);
    }
    return score(
        residents.acquire(ref, device, LanguageModel.class, (file, on) -> LanguageModel.open(file)),
        model -> new ScoreWordsCpu(model, threads),
        options);
  }

  private static <T extends AutoCloseable> Score score(
      ResidentIndexes.Lease<T> lease, Function<T, ScoreWords> scorer, ScoreOptions options) {
    try {
      return new Score(scorer.apply(lease.get()), options, lease::close);
    } catch (RuntimeException e) {
      lease.close();
      throw e;
    }
  }
}
