package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.NetworkSettings;
import io.latimer.operators.nmt.model.RnnSettings;
import io.latimer.operators.nmt.model.Shortlist;
import io.latimer.operators.nmt.model.TensorShape;
import java.util.ArrayList;
import java.util.List;

/**
 * A network's weights in native memory, laid out for the CPU.
 *
 * <p>Immutable; may be shared by any number of {@link DecodeCpu}, and must be closed after them.
 */
public abstract sealed class CpuWeights implements AutoCloseable
    permits CpuRnnModel, CpuTransformerModel {
  private final List<AutoCloseable> owned = new ArrayList<>();
  private int widest;
  private boolean closed;

  final NativeMatrix sourceEmbedding;
  final NativeMatrix targetEmbedding;
  final NativeMatrix output;
  final float[] outputBias;

  /** Null if every word is allowed. */
  final Shortlist shortlist;

  CpuWeights(Network model) {
    NetworkSettings s = model.settings();
    sourceEmbedding = own(NativeMatrix.transposed(model.tensor("source.embedding")));
    targetEmbedding =
        s.sharesEmbeddings()
            ? sourceEmbedding
            : own(NativeMatrix.transposed(model.targetEmbedding()));
    output = s.tiesOutput() ? targetEmbedding : own(NativeMatrix.transposed(model.output()));
    outputBias = model.vector("output.bias");
    shortlist = model.shortlist().orElse(null);
    if (shortlist != null) {
      widest = Math.max(widest, CpuShortlist.mostOutputs(output));
    }
  }

  /**
   * Copies a network's weights to native memory, in 32 bits: 4 bytes per weight, outside of Java's
   * heap.
   *
   * @throws io.latimer.operators.OperatorException if the machine, or the container, has less than
   *     that, before any is taken
   */
  public static CpuWeights of(Network model) {
    return of(model, NmtPrecision.FLOAT32);
  }

  /**
   * The same with products in a precision: with {@link NmtPrecision#INT8} weights take 1 byte each,
   * and those of the embeddings 5.
   *
   * @throws io.latimer.operators.OperatorException if the CPU does not support the precision; if
   *     the machine, or the container, has too little memory to load the model in 32 bits
   */
  public static CpuWeights of(Network model, NmtPrecision precision) {
    if (precision != NmtPrecision.INT8) {
      return load(model);
    }
    OneDnn.check();
    CpuWeights weights = load(model);
    try {
      weights.round();
    } catch (RuntimeException | Error e) {
      weights.close();
      throw e;
    }
    return weights;
  }

  private void round() {
    for (NativeMatrix matrix : matrices()) {
      boolean embeds = matrix == sourceEmbedding || matrix == targetEmbedding;
      if (matrix == output || !embeds) {
        matrix.round(!embeds && matrix != output);
      }
    }
  }

  private List<NativeMatrix> matrices() {
    List<NativeMatrix> matrices = new ArrayList<>();
    for (AutoCloseable part : owned) {
      if (part instanceof NativeMatrix matrix) {
        matrices.add(matrix);
      } else if (part instanceof CpuCell cell) {
        matrices.addAll(cell.matrices());
      }
    }
    return matrices;
  }

  private static CpuWeights load(Network model) {
    long weights = TensorShape.count(model.settings().shapes().values());
    HostMemory.check(model.origin(), Float.BYTES * weights, HostMemory.available());
    return model.settings() instanceof RnnSettings
        ? new CpuRnnModel(model)
        : new CpuTransformerModel(model);
  }

  /** The network's shape. */
  abstract NetworkSettings settings();

  /** Makes a decoder for one thread. */
  abstract CpuDecoder decoder(Product product);

  /** Bytes of activations per source token. */
  abstract long bytesPerToken();

  /** Bytes per hypothesis, regardless of its length. */
  abstract long bytesPerRow();

  /** Additional bytes per token of a hypothesis. */
  abstract long bytesPerTargetToken();

  /** Registers a part to be closed with the model. */
  final <T extends AutoCloseable> T own(T value) {
    owned.add(value);
    if (value instanceof NativeMatrix matrix) {
      widest = Math.max(widest, Math.max(matrix.inputs, matrix.outputs));
    }
    return value;
  }

  /** The largest number of inputs or outputs of a matrix. */
  int widest() {
    return widest;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    matrices().forEach(NativeMatrix::close);
  }

  final boolean isClosed() {
    return closed;
  }
}
