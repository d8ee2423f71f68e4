package io.latimer.operators.nmt.gpu;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Arena;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.Stream;
import io.latimer.operators.device.UploadRing;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.model.Activation;
import io.latimer.operators.nmt.model.Autoregression;
import io.latimer.operators.nmt.model.CellKind;
import io.latimer.operators.nmt.model.LayerNormalization;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.NetworkSettings;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.Positions;
import io.latimer.operators.nmt.model.RnnSettings;
import io.latimer.operators.nmt.model.Shortlist;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import java.nio.IntBuffer;
import java.util.stream.LongStream;

/**
 * The weights of a translation model on a GPU, in the precision of the computation. Immutable;
 * shared by all decoders of a process. Does not need the host's copy afterwards.
 *
 * <p>A tensor passes through the device's memory in 32 bits, so that while they load, the weights
 * need the largest tensor's 32-bit form beside {@link #bytes}; on the host they need none of their
 * own.
 */
public final class GpuWeights implements AutoCloseable {
  private static final String OWNER = "nmt model";

  private final NetworkSettings settings;
  private final NmtPrecision precision;
  private final Gpu gpu;
  private Arena arena;

  /** Words that the shortlist allows in every sentence; 0 if there is none. */
  private final int firstWords;

  private long handle;

  /**
   * Copies a model to a device. The copy is complete on return.
   *
   * @param model the network with its shortlist, if any; not needed afterwards
   * @param device a GPU
   * @param precision of stored weights and of the factors of products
   * @throws io.latimer.operators.device.DeviceMemoryException if it does not fit, before any of the
   *     device's memory is taken if it says that too little is free
   * @throws OperatorException if the model exceeds a GPU's limits (a state of 4,096, less with
   *     layer normalization, a transformer's width of 16,384), or the kernel library does not
   *     support models of this kind
   */
  public GpuWeights(Network model, Device device, NmtPrecision precision) {
    this.settings = model.settings();
    this.precision = precision;
    this.firstWords = model.shortlist().map(Shortlist::first).orElse(0);
    GpuLimits.check(settings);
    this.gpu = Gpu.open(device);
    long[] made = new long[1];
    create(made);
    this.handle = made[0];
    try {
      long[] sizes = sizes(model);
      long passingBytes = largest(model);
      GpuLimits.checkMemory(
          model.origin(),
          device.toString(),
          LongStream.of(sizes).sum(),
          passingBytes,
          gpu.freeMemory());
      this.arena = Arena.exact(gpu, OWNER, sizes);
      DeviceBuffer memory = arena.allocate(gpu.number("lat_nmt_model_bytes", handle));
      try (Arena passing = Arena.exact(gpu, OWNER, passingBytes);
          UploadRing ring = new UploadRing(gpu, OWNER)) {
        Stream stream = ring.stream();
        stream.call("lat_nmt_model_place", handle, memory.address());
        for (Tensor tensor : model.tensors().values()) {
          write(tensor, ring, passing);
        }
        model.shortlist().ifPresent(shortlist -> give(shortlist, ring));
        stream.synchronize();
      }
      long missing = gpu.number("lat_nmt_model_missing", handle);
      if (missing != 0) {
        throw new OperatorException(
            "the kernel library expects "
                + missing
                + " more tensors than this model has: its version differs from this program's");
      }
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private void create(long[] made) {
    if (settings instanceof RnnSettings recurrent) {
      gpu.call(OWNER, "lat_nmt_rnn_create", words(recurrent), precision.code(), made);
    } else {
      long[] words = words((TransformerSettings) settings);
      gpu.call(OWNER, "lat_nmt_transformer_create", words, precision.code(), made);
    }
  }

  /** lat_nmt_rnn_settings: 64-bit numbers in the order of the header. */
  private static long[] words(RnnSettings s) {
    return new long[] {
      s.sourceVocabulary(),
      s.targetVocabulary(),
      s.embedding(),
      s.state(),
      s.attention(),
      code(s.forwardCell()),
      code(s.backwardCell()),
      s.encoderTransitions(),
      code(s.decoderCell1()),
      code(s.decoderCell2()),
      s.decoderTransitions(),
      code(s.normalization()),
      s.startsCellFromState() ? 1 : 0,
      s.sharesEmbeddings() ? 1 : 0,
      s.tiesOutput() ? 1 : 0
    };
  }

  /** lat_nmt_transformer_settings: 64-bit numbers, one of them a double, in the header's order. */
  private static long[] words(TransformerSettings s) {
    TransformerVariant v = s.variant();
    return new long[] {
      s.sourceVocabulary(),
      s.targetVocabulary(),
      s.width(),
      s.heads(),
      s.encoderLayers(),
      s.decoderLayers(),
      s.encoderFeedForward(),
      s.decoderFeedForward(),
      code(s.activation()),
      code(s.autoregression()),
      s.averageFeedForward(),
      code(s.averageActivation()),
      code(s.normalization()),
      s.normalizesTop() ? 1 : 0,
      s.alignmentLayer(),
      s.sharesEmbeddings() ? 1 : 0,
      s.tiesOutput() ? 1 : 0,
      code(v.positions()),
      v.firstPosition(),
      v.positionRows(),
      v.relativeBuckets(),
      v.relativeDistance(),
      v.scalesEmbeddings() ? 1 : 0,
      v.normalizesEmbeddings() ? 1 : 0,
      v.rootMeanSquare() ? 1 : 0,
      Double.doubleToRawLongBits(v.epsilon()),
      v.gatedFeedForward() ? 1 : 0,
      v.scalesAttention() ? 1 : 0,
      v.headWidth(),
      v.start(),
      v.alignmentHeads(),
      v.middleLayers()
    };
  }

  private static long code(Activation activation) {
    return switch (activation) {
      case RELU -> 0;
      case SWISH -> 1;
      case GELU -> 2;
      case GELU_ERF -> 3;
      case GELU_TANH -> 4;
    };
  }

  private static long code(Positions positions) {
    return switch (positions) {
      case SINUSOIDAL -> 0;
      case LEARNED -> 1;
      case RELATIVE -> 2;
    };
  }

  private static long code(Autoregression autoregression) {
    return switch (autoregression) {
      case SELF_ATTENTION -> 0;
      case AVERAGE_ATTENTION -> 1;
      case SSRU -> 2;
    };
  }

  private static long code(NormPlacement normalization) {
    return switch (normalization) {
      case POST -> 0;
      case PRE -> 1;
      case PRE_QUERIES -> 2;
    };
  }

  private static long code(CellKind kind) {
    return switch (kind) {
      case GRU -> 0;
      case LSTM -> 1;
      case MLSTM -> 2;
    };
  }

  private static long code(LayerNormalization normalization) {
    return switch (normalization) {
      case NONE -> 0;
      case JOINT -> 1;
      case SEPARATE -> 2;
    };
  }

  /** Size of the permanent data on the device: the weights and the shortlist's tables. */
  private long[] sizes(Network model) {
    long weights = gpu.number("lat_nmt_model_bytes", handle);
    return model
        .shortlist()
        .map(
            shortlist ->
                new long[] {
                  weights,
                  (long) Integer.BYTES * shortlist.starts().limit(),
                  (long) Integer.BYTES * shortlist.table().limit()
                })
        .orElse(new long[] {weights});
  }

  /** Size of the largest tensor as it passes through the device's memory. */
  private static long largest(Network model) {
    return model.tensors().values().stream().mapToLong(GpuWeights::passingBytes).max().orElse(0);
  }

  private static long passingBytes(Tensor tensor) {
    return (long) Float.BYTES * tensor.count();
  }

  private void give(Shortlist shortlist, UploadRing ring) {
    gpu.call(
        OWNER,
        "lat_nmt_model_shortlist",
        handle,
        (long) shortlist.first(),
        shortlist.ownWords() ? 1 : 0,
        resident(shortlist.starts(), ring).address(),
        resident(shortlist.table(), ring).address());
  }

  /** Tables that stay on the device with the weights. */
  private DeviceBuffer resident(IntBuffer numbers, UploadRing ring) {
    DeviceBuffer there = arena.allocate((long) Integer.BYTES * numbers.limit());
    ring.upload(numbers, there);
    return there;
  }

  private void write(Tensor tensor, UploadRing ring, Arena passing) {
    passing.reset(); // safe to reuse: work on this stream runs in order
    DeviceBuffer values = passing.allocate(passingBytes(tensor));
    ring.upload(
        passingBytes(tensor),
        values,
        (at, slot) -> tensor.read((int) (at / Float.BYTES), slot.asFloatBuffer()),
        i -> {});
    gpu.call(
        OWNER + ", tensor " + tensor.name(),
        "lat_nmt_model_tensor",
        handle,
        tensor.name(),
        values.address(),
        (long) tensor.rows(),
        (long) tensor.cols(),
        ring.stream().handle());
  }

  /** The precision of the computation, as requested. */
  public NmtPrecision precision() {
    return precision;
  }

  /** Device memory of the weights and the shortlist's tables, in bytes. */
  public long bytes() {
    return arena.capacity();
  }

  Gpu gpu() {
    return gpu;
  }

  /** The network's shape and kind. */
  NetworkSettings settings() {
    return settings;
  }

  int targetWords() {
    return settings.targetVocabulary();
  }

  /** Whether the model has a shortlist. */
  boolean hasShortlist() {
    return firstWords > 0;
  }

  /** Minimum number of words that every sentence allows. */
  int leastWords(DecodeOptions options) {
    return hasShortlist() && options.shortlist() ? firstWords : targetWords();
  }

  /** The lat_nmt_model. */
  long handle() {
    if (handle == 0) {
      throw new OperatorException("this translation model is closed; load it again");
    }
    return handle;
  }

  boolean isClosed() {
    return handle == 0;
  }

  /** Frees its memory. Closing twice is safe. */
  @Override
  public void close() {
    if (handle != 0) {
      gpu.run("lat_nmt_model_destroy", handle);
      handle = 0;
    }
    if (arena != null) {
      arena.close();
    }
  }
}
