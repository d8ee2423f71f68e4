package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.cpu.CpuTransformerModel.Attention;
import io.latimer.operators.nmt.cpu.CpuTransformerModel.Average;
import io.latimer.operators.nmt.cpu.CpuTransformerModel.DecoderLayer;
import io.latimer.operators.nmt.cpu.CpuTransformerModel.Ssru;
import io.latimer.operators.nmt.model.Autoregression;
import io.latimer.operators.nmt.model.NormPlacement;
import java.util.Arrays;

/**
 * The decoder of a transformer on the CPU. Keys and values of the source are computed once per
 * sentence; those of preceding words are cached ({@link KeyValueCache}), and so are the states of
 * average attention and SSRU.
 */
final class CpuTransformerDecoder extends CpuDecoder {
  private final CpuTransformerModel model;
  private final Product product;
  private final CpuBlocks blocks;
  private final HeadAttention heads;
  private final KeyValueCache cache;
  private final RelativeBiases biases;
  private final int d;
  private final int a;
  private final boolean keepsState;
  private final float[] gate;
  private float[] query = {};
  private float[] attended = {};
  private float[] gates = {};
  private float[] mean = {};
  private int position;

  /** Per layer, rows x D: the sum of the inputs (average attention) or c (SSRU). */
  private final float[][] state;

  private float[] spareState = {};

  /** The encoder's output for the sentences. */
  final CpuTransformerEncoder encoder;

  CpuTransformerDecoder(CpuTransformerModel model, Product product) {
    this.model = model;
    this.product = product;
    this.blocks = new CpuBlocks(model, product);
    this.heads = new HeadAttention(model.settings);
    this.cache = new KeyValueCache(model.settings);
    this.d = model.settings.width();
    this.a = model.settings.attentionWidth();
    this.keepsState = model.settings.autoregression() != Autoregression.SELF_ATTENTION;
    this.biases = model.decoderBiases;
    this.gate = new float[d];
    this.state = new float[model.decoder.size()][0];
    this.encoder = new CpuTransformerEncoder(model, product, blocks);
  }

  @Override
  void start(int[][] sentences) {
    encoder.encode(sentences);
    cache.start();
    position = 0;
    if (keepsState) {
      for (int i = 0; i < state.length; i++) {
        state[i] = Workspace.atLeast(state[i], (long) sentences.length * d);
        Arrays.fill(state[i], 0, sentences.length * d, 0f);
      }
    }
  }

  @Override
  void reorder(int[] from, int rows) {
    position++;
    if (!keepsState) {
      cache.reorder(from, rows);
      return;
    }
    for (int layer = 0; layer < state.length; layer++) {
      spareState = Workspace.atLeast(spareState, (long) rows * d);
      for (int i = 0; i < rows; i++) {
        System.arraycopy(state[layer], from[i] * d, spareState, i * d, d);
      }
      float[] old = state[layer];
      state[layer] = spareState;
      spareState = old;
    }
  }

  @Override
  void step(int rows, int[] words, int[] sentences) {
    readout = Workspace.atLeast(readout, (long) rows * d);
    query = Workspace.atLeast(query, (long) rows * Math.max(a, d));
    attended = Workspace.atLeast(attended, (long) rows * a);
    blocks.room(rows);
    attentionStride = 0;
    for (int i = 0; i < rows; i++) {
      attentionStride = Math.max(attentionStride, encoder.length[sentences[i]]);
      blocks.target(words[i], position, readout, i * d);
    }
    attention = Workspace.atLeast(attention, (long) rows * attentionStride);
    for (int i = 0; i < model.decoder.size(); i++) {
      DecoderLayer layer = model.decoder.get(i);
      if (layer.self() != null) {
        self(layer.self(), i, rows);
      } else if (layer.average() != null) {
        average(layer.average(), state[i], rows);
      } else {
        ssru(layer.ssru(), state[i], rows);
      }
      cross(layer.cross(), i, rows, sentences);
      blocks.feedForward(layer.feedForward(), readout, rows);
    }
    if (model.decoderTop != null) {
      model.decoderTop.applyAll(readout, rows, d, 0);
    }
  }

  private void self(Attention block, int layer, int rows) {
    float[] in = blocks.before(block.frame(), readout, rows);
    boolean raw = model.settings.normalization() == NormPlacement.PRE_QUERIES;
    block.query().apply(product, in, rows, query);
    block.keyValue().apply(product, raw ? readout : in, rows, cache.current(layer, rows));
    for (int i = 0; i < rows; i++) {
      int n = cache.positions(layer, i, heads);
      heads.attend(query, i * a, n, attended, i * a, null, 0, biases, n - 1);
    }
    finish(block, rows);
  }

  private void cross(Attention block, int layer, int rows, int[] sentences) {
    float[] in = blocks.before(block.frame(), readout, rows);
    block.query().apply(product, in, rows, query);
    float[] alignment = layer + 1 == model.settings.alignmentLayer() ? attention : null;
    for (int i = 0; i < rows; i++) {
      int n = encoder.length[sentences[i]];
      heads.positions(encoder.cross[layer], encoder.offset[sentences[i]], n);
      heads.attend(query, i * a, n, attended, i * a, alignment, i * attentionStride);
    }
    finish(block, rows);
  }

  private void finish(Attention block, int rows) {
    product.multiply(attended, rows, block.output(), blocks.out);
    blocks.after(block.frame(), readout, rows);
  }

  private void average(Average block, float[] sums, int rows) {
    mean = Workspace.atLeast(mean, (long) rows * d);
    gates = Workspace.atLeast(gates, 2L * rows * d);
    Vectors.addTo(sums, readout, rows * d);
    for (int i = 0; i < rows * d; i++) {
      mean[i] = sums[i] / (position + 1);
    }
    float[] y = blocks.before(block.frame(), mean, rows);
    float[] inner = blocks.hidden(block.inner(), model.settings.averageActivation(), y, rows);
    block.outer().apply(product, inner, rows, mean);
    block.input().apply(product, readout, rows, gates);
    block.forget().apply(product, mean, rows, query);
    for (int i = 0; i < rows; i++) {
      int at = i * d;
      System.arraycopy(gates, at, gate, 0, d);
      Vectors.sigmoid(gate, d);
      for (int j = 0; j < d; j++) {
        blocks.out[at + j] = gate[j] * readout[at + j];
      }
      System.arraycopy(query, at, gate, 0, d);
      Vectors.sigmoid(gate, d);
      for (int j = 0; j < d; j++) {
        blocks.out[at + j] = Math.fma(gate[j], mean[at + j], blocks.out[at + j]);
      }
    }
    blocks.after(block.frame(), readout, rows);
  }

  private void ssru(Ssru block, float[] cells, int rows) {
    gates = Workspace.atLeast(gates, 2L * rows * d);
    float[] in = blocks.before(block.frame(), readout, rows);
    block.gates().apply(product, in, rows, gates);
    for (int i = 0; i < rows; i++) {
      int at = i * d;
      int candidate = 2 * at;
      System.arraycopy(gates, candidate + d, gate, 0, d);
      Vectors.sigmoid(gate, d);
      for (int j = 0; j < d; j++) {
        float c = gates[candidate + j];
        cells[at + j] = Math.fma(gate[j], cells[at + j] - c, c);
        blocks.out[at + j] = Math.max(0f, cells[at + j]);
      }
    }
    blocks.after(block.frame(), readout, rows);
  }
}
