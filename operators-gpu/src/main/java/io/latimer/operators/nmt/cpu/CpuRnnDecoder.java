package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.RnnSettings;
import java.util.Arrays;

/** The decoder of a recurrent network on the CPU. */
final class CpuRnnDecoder extends CpuDecoder {
  private final CpuRnnModel model;
  private final Product product;
  private final Workspace work;
  private final CpuRnnEncoder encoder;
  private final int e;
  private final int h;
  private final int a;
  private final float[] hidden;
  private float[] weights = {};
  private float[] scores = {};
  private float[] scratch = {};
  private final PowersOfTwo powers = new PowersOfTwo();
  private float[] embedded = {};
  private float[] wordInput = {};
  private float[] contextInput = {};
  private float[] query = {};
  private float[] spareState = {};
  private float[] spareCell = {};
  private int[] identity = {};

  /** Rows x H: s. On input, after the previous step; on output, after this one. */
  float[] state = {};

  /** Rows x H: c, if the model has one. */
  float[] cell = {};

  /** Rows x H: h, between the two cells. */
  float[] between = {};

  /** Rows x 2H: context vectors of the attention. */
  float[] context = {};

  /** The encoder's output for the batch. */
  final Encoded encoded = new Encoded();

  CpuRnnDecoder(CpuRnnModel model, Product product) {
    this.model = model;
    this.product = product;
    this.work = new Workspace(model.settings.state());
    this.encoder = new CpuRnnEncoder(model, product, work);
    this.e = model.settings.embedding();
    this.h = model.settings.state();
    this.a = model.settings.attention();
    this.hidden = new float[Math.max(a, e)];
  }

  /** Bytes per hypothesis in this class. */
  static long bytesPerRow(CpuRnnModel model) {
    RnnSettings s = model.settings;
    return 4L
        * (2L * s.embedding()
            + 13L * s.state()
            + s.attention()
            + model.wordInput.outputs
            + model.contextInput.outputs);
  }

  @Override
  void start(int[][] sentences) {
    encoder.encode(sentences, encoded);
    int n = sentences.length;
    room(n);
    System.arraycopy(encoded.start, 0, state, 0, n * h);
    if (model.settings.startsCellFromState()) {
      System.arraycopy(encoded.start, 0, cell, 0, n * h);
    } else {
      Arrays.fill(cell, 0, n * h, 0f);
    }
  }

  private void room(int rows) {
    if (identity.length < rows) {
      identity = new int[Math.max(rows, 2 * identity.length)];
      Arrays.setAll(identity, i -> i);
    }
    state = grow(state, rows, h);
    cell = grow(cell, rows, h);
    between = Workspace.atLeast(between, (long) rows * h);
    spareState = Workspace.atLeast(spareState, (long) rows * h);
    spareCell = Workspace.atLeast(spareCell, (long) rows * h);
    context = Workspace.atLeast(context, 2L * rows * h);
    query = Workspace.atLeast(query, (long) rows * a);
    embedded = Workspace.atLeast(embedded, (long) rows * e);
    readout = Workspace.atLeast(readout, (long) rows * e);
    wordInput = Workspace.atLeast(wordInput, (long) rows * model.wordInput.outputs);
    contextInput = Workspace.atLeast(contextInput, (long) rows * model.contextInput.outputs);
  }

  private static float[] grow(float[] array, int rows, int width) {
    float[] larger = Workspace.atLeast(array, (long) rows * width);
    if (larger != array) {
      System.arraycopy(array, 0, larger, 0, array.length);
    }
    return larger;
  }

  @Override
  void reorder(int[] from, int rows) {
    room(rows);
    boolean cells = model.settings.hasDecoderCellState();
    for (int i = 0; i < rows; i++) {
      System.arraycopy(state, from[i] * h, spareState, i * h, h);
      if (cells) {
        System.arraycopy(cell, from[i] * h, spareCell, i * h, h);
      }
    }
    float[] old = state;
    state = spareState;
    spareState = old;
    if (cells) {
      old = cell;
      cell = spareCell;
      spareCell = old;
    }
  }

  @Override
  void step(int rows, int[] words, int[] sentences) {
    for (int i = 0; i < rows; i++) {
      if (words[i] == NO_WORD) {
        Arrays.fill(embedded, i * e, (i + 1) * e, 0f);
      } else {
        model.targetEmbedding.row(words[i], embedded, i * e);
      }
    }
    product.multiply(embedded, rows, model.wordInput, wordInput);
    int wordStride = model.wordInput.outputs;
    model.cell1.applySides(wordInput, rows, wordStride);
    System.arraycopy(state, 0, between, 0, rows * h);
    model.cell1.step(rows, wordInput, identity, wordStride, between, cell, product, work);

    attend(rows, sentences);

    product.multiply(context, rows, model.contextInput, contextInput);
    int contextStride = model.contextInput.outputs;
    model.cell2.applySides(contextInput, rows, contextStride);
    System.arraycopy(between, 0, state, 0, rows * h);
    model.cell2.step(rows, contextInput, identity, contextStride, state, cell, product, work);
    readout(rows);
  }

  private void attend(int rows, int[] sentences) {
    product.multiply(between, rows, model.query, query);
    model.querySide.applyAll(query, rows, a, 0);
    int longest = 0;
    for (int i = 0; i < rows; i++) {
      longest = Math.max(longest, encoded.length[sentences[i]]);
    }
    attentionStride = longest;
    attention = Workspace.atLeast(attention, (long) rows * longest);
    weights = Workspace.atLeast(weights, longest);
    scores = Workspace.atLeast(scores, longest);
    scratch = Workspace.atLeast(scratch, longest);
    Arrays.fill(context, 0, rows * 2 * h, 0f);
    for (int i = 0; i < rows; i++) {
      int length = encoded.length[sentences[i]];
      int offset = encoded.offset[sentences[i]];
      for (int t = 0; t < length; t++) {
        Vectors.add(encoded.keys, (offset + t) * a, query, i * a, hidden, a);
        Vectors.tanh(hidden, a);
        weights[t] = Vectors.dot(hidden, 0, model.score, 0, a);
      }
      System.arraycopy(weights, 0, scores, 0, length);
      Vectors.exp(weights, length, Vectors.max(scores, length, scratch), powers);
      float scale = 1 / Vectors.sum(weights, 0, length);
      for (int t = 0; t < length; t++) {
        float weight = weights[t] * scale;
        attention[i * longest + t] = weight;
        Vectors.addScaled(
            context, i * 2 * h, weight, encoded.annotations, (offset + t) * 2 * h, 2 * h);
      }
    }
  }

  private void readout(int rows) {
    product.multiply(state, rows, model.readoutState, readout);
    CpuRnnModel.Part previous = model.readoutPrevious;
    CpuRnnModel.Part attended = model.readoutContext;
    int wordStride = model.wordInput.outputs;
    int contextStride = model.contextInput.outputs;
    previous.side().applyAll(wordInput, rows, wordStride, previous.at());
    attended.side().applyAll(contextInput, rows, contextStride, attended.at());
    for (int i = 0; i < rows; i++) {
      model.readoutStateSide.apply(readout, i * e);
      Vectors.add(
          wordInput,
          i * wordStride + previous.at(),
          contextInput,
          i * contextStride + attended.at(),
          hidden,
          e);
      Vectors.addTo(readout, i * e, hidden, e);
      System.arraycopy(readout, i * e, hidden, 0, e);
      Vectors.tanh(hidden, e);
      System.arraycopy(hidden, 0, readout, i * e, e);
    }
  }
}
