package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.cpu.CpuTransformerModel.FeedForward;
import io.latimer.operators.nmt.cpu.CpuTransformerModel.Frame;
import io.latimer.operators.nmt.model.Activation;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.SinusoidalPositions;

/** The parts that a transformer's encoder and decoder share on the CPU, with their arrays. */
final class CpuBlocks {
  private final CpuTransformerModel model;
  private final Product product;
  private final int d;
  private final float[] zeros;
  private final float embeddingScale;
  private float[] positions = {};
  private float[] normalized = {};
  private float[] inner = {};
  private float[] activated = {};

  /** Rows x D: the output of a block's function. */
  float[] out = {};

  CpuBlocks(CpuTransformerModel model, Product product) {
    this.model = model;
    this.product = product;
    this.d = model.settings.width();
    this.zeros = new float[d];
    this.embeddingScale = (float) Math.sqrt(d);
  }

  /** Ensures room for a number of rows. */
  void room(int rows) {
    out = Workspace.atLeast(out, (long) rows * d);
    if (model.settings.normalization() != NormPlacement.POST) {
      normalized = Workspace.atLeast(normalized, (long) rows * d);
    }
  }

  /** Writes the input of a word at a position: the scaled embedding plus the position encoding. */
  void embed(NativeMatrix embeddings, int word, int position, float[] x, int at) {
    if ((long) positions.length < (position + 1L) * d) {
      positions = SinusoidalPositions.table(0, Math.max(2 * position, 64), d);
    }
    if (word == CpuDecoder.NO_WORD) {
      System.arraycopy(zeros, 0, x, at, d);
    } else {
      embeddings.row(word, x, at);
    }
    for (int i = 0; i < d; i++) {
      x[at + i] = Math.fma(embeddingScale, x[at + i], positions[position * d + i]);
    }
  }

  /** The input of a block's function: the block's input, or a normalized copy of it. */
  float[] before(Frame frame, float[] x, int rows) {
    if (frame.before() == null) {
      return x;
    }
    System.arraycopy(x, 0, normalized, 0, rows * d);
    frame.before().applyAll(normalized, rows, d, 0);
    return normalized;
  }

  /**
   * Replaces a block's input by its output, in place: the sum with {@link #out}, normalized if due.
   */
  void after(Frame frame, float[] x, int rows) {
    Vectors.addTo(x, 0, out, rows * d);
    frame.after().applyAll(x, rows, d, 0);
  }

  void feedForward(FeedForward block, float[] x, int rows) {
    float[] in = before(block.frame(), x, rows);
    hidden(block.inner(), model.settings.activation(), in, rows);
    product.multiply(inner, rows, block.outer(), out);
    after(block.frame(), x, rows);
  }

  /** Computes the inner layer of a feed-forward network, including the activation. */
  float[] hidden(CpuTransformerModel.Linear layer, Activation activation, float[] x, int rows) {
    int width = layer.w().outputs;
    inner = Workspace.atLeast(inner, (long) rows * width);
    activated = Workspace.atLeast(activated, width);
    layer.apply(product, x, rows, inner);
    for (int i = 0; i < rows; i++) {
      switch (activation) {
        case RELU -> Vectors.relu(inner, i * width, width);
        case SWISH -> Vectors.swish(inner, i * width, 1f, width, activated);
        case GELU -> Vectors.swish(inner, i * width, Activation.GELU_FACTOR, width, activated);
      }
    }
    return inner;
  }
}
