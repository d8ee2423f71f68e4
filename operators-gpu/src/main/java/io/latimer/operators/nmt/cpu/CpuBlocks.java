package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.cpu.CpuTransformerModel.FeedForward;
import io.latimer.operators.nmt.cpu.CpuTransformerModel.Frame;
import io.latimer.operators.nmt.model.Activation;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.TransformerVariant;

/** The parts that a transformer's encoder and decoder share on the CPU, with their arrays. */
final class CpuBlocks {
  private final CpuTransformerModel model;
  private final Product product;
  private final int d;
  private final float[] zeros;
  private final float embeddingScale;
  private final CpuPositions positions;
  private float[] normalized = {};
  private float[] inner = {};
  private float[] spare = {};
  private float[] gate = {};
  private float[] activated = {};

  /** Rows x D: the output of a block's function. */
  float[] out = {};

  CpuBlocks(CpuTransformerModel model, Product product) {
    this.model = model;
    this.product = product;
    this.d = model.settings.width();
    this.zeros = new float[d];
    this.embeddingScale = model.settings.embeddingScale();
    this.positions = new CpuPositions(model);
  }

  /** Ensures room for a number of rows. */
  void room(int rows) {
    out = Workspace.atLeast(out, (long) rows * d);
    if (model.settings.normalization() != NormPlacement.POST) {
      normalized = Workspace.atLeast(normalized, (long) rows * d);
    }
  }

  /** Writes the encoder's input for a word at a position. */
  void source(int word, int position, float[] x, int at) {
    model.sourceEmbedding.row(word, x, at);
    input(positions.source(position), position, model.sourceNorm, x, at);
  }

  /** Writes the decoder's input for a word, or for the start, at a position. */
  void target(int word, int position, float[] x, int at) {
    int id = word == CpuDecoder.NO_WORD ? model.settings.variant().start() : word;
    if (id == TransformerVariant.NO_START) {
      System.arraycopy(zeros, 0, x, at, d);
    } else {
      model.targetEmbedding.row(id, x, at);
    }
    input(positions.target(position), position, model.targetNorm, x, at);
  }

  /** The scaled embedding plus the position's vector, if there is one, normalized if due. */
  private void input(float[] table, int position, Side norm, float[] x, int at) {
    if (table.length == 0) {
      for (int i = 0; i < d; i++) {
        x[at + i] *= embeddingScale;
      }
    } else {
      for (int i = 0; i < d; i++) {
        x[at + i] = Math.fma(embeddingScale, x[at + i], table[position * d + i]);
      }
    }
    if (norm != null) {
      norm.apply(x, at);
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
    Vectors.addTo(x, out, rows * d);
    frame.after().applyAll(x, rows, d, 0);
  }

  void feedForward(FeedForward block, float[] x, int rows) {
    float[] in = before(block.frame(), x, rows);
    hidden(block.inner(), model.settings.activation(), in, rows);
    if (block.gate() != null) {
      int width = block.gate().w().outputs;
      gate = Workspace.atLeast(gate, (long) rows * width);
      block.gate().apply(product, in, rows, gate);
      Vectors.multiply(inner, 0, gate, 0, rows * width);
    }
    for (CpuTransformerModel.Linear middle : block.middle()) {
      float[] read = inner;
      inner = spare;
      spare = read;
      hidden(middle, model.settings.activation(), read, rows);
    }
    product.multiply(inner, rows, block.outer(), out);
    after(block.frame(), x, rows);
  }

  /** Computes an activated layer of a feed-forward network, into {@link #inner}. */
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
        case GELU_ERF -> Vectors.gelu(inner, i * width, width, activated);
        case GELU_TANH ->
            Vectors.gelu(
                inner,
                i * width,
                Activation.GELU_TANH_FACTOR,
                Activation.GELU_TANH_CUBE,
                width,
                activated);
      }
    }
    return inner;
  }
}
