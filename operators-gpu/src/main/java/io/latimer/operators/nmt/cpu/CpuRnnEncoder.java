package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.RnnSettings;
import java.util.Arrays;

/**
 * The bidirectional encoder on the CPU. Sentences are sorted longest first, so those still running
 * at a step are always the first rows: there is neither padding nor masking.
 */
final class CpuRnnEncoder {
  private final CpuRnnModel model;
  private final Product product;
  private final Workspace work;
  private final int e;
  private final int h;
  private float[] embedded = {};
  private float[] input = {};
  private float[] state = {};
  private float[] cell = {};
  private int[] rows = {};

  CpuRnnEncoder(CpuRnnModel model, Product product, Workspace work) {
    this.model = model;
    this.product = product;
    this.work = work;
    this.e = model.settings.embedding();
    this.h = model.settings.state();
  }

  /** Bytes per source token in this class and in the output for the decoder. */
  static long bytesPerToken(CpuRnnModel model) {
    RnnSettings s = model.settings;
    return 4L * (s.embedding() + model.encoderInput.outputs + 2L * s.state() + s.attention());
  }

  /**
   * Encodes sentences.
   *
   * @param sentences ids, longest sentence first; all within the vocabulary
   */
  void encode(int[][] sentences, Encoded out) {
    int n = sentences.length;
    int tokens = 0;
    out.length = new int[n];
    out.offset = new int[n];
    for (int i = 0; i < n; i++) {
      out.length[i] = sentences[i].length;
      out.offset[i] = tokens;
      tokens = Math.addExact(tokens, sentences[i].length);
    }
    embedded = Workspace.atLeast(embedded, (long) tokens * e);
    for (int i = 0; i < n; i++) {
      for (int t = 0; t < sentences[i].length; t++) {
        model.sourceEmbedding.row(sentences[i][t], embedded, (out.offset[i] + t) * e);
      }
    }
    int stride = model.encoderInput.outputs;
    input = Workspace.atLeast(input, (long) tokens * stride);
    product.multiply(embedded, tokens, model.encoderInput, input);
    out.annotations = Workspace.atLeast(out.annotations, 2L * tokens * h);
    run(model.forward, tokens, n, out, true);
    run(model.backward, tokens, n, out, false);

    int a = model.settings.attention();
    out.keys = Workspace.atLeast(out.keys, (long) tokens * a);
    product.multiply(out.annotations, tokens, model.key, out.keys);
    model.keySide.applyAll(out.keys, tokens, a, 0);
    start(n, out);
  }

  private void run(CpuRnnModel.Stack stack, int tokens, int n, Encoded out, boolean forward) {
    int stride = model.encoderInput.outputs;
    stack.applySides(input, tokens, stride);
    state = Workspace.atLeast(state, (long) n * h);
    cell = Workspace.atLeast(cell, (long) n * h);
    rows = rows.length < n ? new int[n] : rows;
    Arrays.fill(state, 0, n * h, 0f);
    Arrays.fill(cell, 0, n * h, 0f);
    int half = forward ? 0 : h;
    int running = n;
    for (int t = 0; ; t++) {
      while (running > 0 && out.length[running - 1] <= t) {
        running--;
      }
      if (running == 0) {
        return;
      }
      for (int i = 0; i < running; i++) {
        rows[i] = out.offset[i] + (forward ? t : out.length[i] - 1 - t);
      }
      stack.step(running, input, rows, stride, state, cell, product, work);
      for (int i = 0; i < running; i++) {
        System.arraycopy(state, i * h, out.annotations, rows[i] * 2 * h + half, h);
      }
    }
  }

  private void start(int n, Encoded out) {
    float[] means = new float[n * 2 * h];
    for (int i = 0; i < n; i++) {
      int at = i * 2 * h;
      for (int t = 0; t < out.length[i]; t++) {
        Vectors.addScaled(means, at, 1f, out.annotations, (out.offset[i] + t) * 2 * h, 2 * h);
      }
      for (int j = 0; j < 2 * h; j++) {
        means[at + j] /= out.length[i];
      }
    }
    float[] one = work.candidate;
    out.start = Workspace.atLeast(out.start, (long) n * h);
    product.multiply(means, n, model.start, out.start);
    for (int i = 0; i < n; i++) {
      model.startSide.apply(out.start, i * h);
      System.arraycopy(out.start, i * h, one, 0, h);
      Vectors.tanh(one, h);
      System.arraycopy(one, 0, out.start, i * h, h);
    }
  }
}
