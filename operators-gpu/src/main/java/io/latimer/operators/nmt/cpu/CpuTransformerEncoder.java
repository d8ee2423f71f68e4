package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.cpu.CpuTransformerModel.Attention;
import io.latimer.operators.nmt.cpu.CpuTransformerModel.EncoderLayer;
import io.latimer.operators.nmt.model.NormPlacement;

/** The encoder of a transformer on the CPU. Sentences are concatenated, without padding. */
final class CpuTransformerEncoder {
  private final CpuTransformerModel model;
  private final Product product;
  private final CpuBlocks blocks;
  private final HeadAttention heads;
  private final RelativeBiases biases;
  private final int d;
  private final int a;
  private float[] query = {};
  private float[] keyValue = {};
  private float[] attended = {};

  /** Tokens of each sentence. */
  int[] length = {};

  /** First token of each sentence. */
  int[] offset = {};

  /** Tokens x D. */
  float[] output = {};

  /** Per decoder layer, tokens x 2A: keys and values of the cross attention. */
  final float[][] cross;

  CpuTransformerEncoder(CpuTransformerModel model, Product product, CpuBlocks blocks) {
    this.model = model;
    this.product = product;
    this.blocks = blocks;
    this.heads = new HeadAttention(model.settings);
    this.biases = model.encoderBiases;
    this.d = model.settings.width();
    this.a = model.settings.attentionWidth();
    this.cross = new float[model.decoder.size()][0];
  }

  /** Encodes sentences of ids within the vocabulary. */
  void encode(int[][] sentences) {
    int n = sentences.length;
    int tokens = 0;
    length = new int[n];
    offset = new int[n];
    for (int i = 0; i < n; i++) {
      length[i] = sentences[i].length;
      offset[i] = tokens;
      tokens = Math.addExact(tokens, sentences[i].length);
    }
    output = Workspace.atLeast(output, (long) tokens * d);
    query = Workspace.atLeast(query, (long) tokens * a);
    attended = Workspace.atLeast(attended, (long) tokens * a);
    keyValue = Workspace.atLeast(keyValue, 2L * tokens * a);
    blocks.room(tokens);
    for (int i = 0; i < n; i++) {
      for (int t = 0; t < length[i]; t++) {
        blocks.source(sentences[i][t], t, output, (offset[i] + t) * d);
      }
    }
    for (EncoderLayer layer : model.encoder) {
      attend(layer.self(), tokens);
      blocks.feedForward(layer.feedForward(), output, tokens);
    }
    if (model.encoderTop != null) {
      model.encoderTop.applyAll(output, tokens, d, 0);
    }
    for (int i = 0; i < cross.length; i++) {
      cross[i] = Workspace.atLeast(cross[i], 2L * tokens * a);
      model.decoder.get(i).cross().keyValue().apply(product, output, tokens, cross[i]);
    }
  }

  private void attend(Attention block, int tokens) {
    float[] in = blocks.before(block.frame(), output, tokens);
    boolean raw = model.settings.normalization() == NormPlacement.PRE_QUERIES;
    block.query().apply(product, in, tokens, query);
    block.keyValue().apply(product, raw ? output : in, tokens, keyValue);
    for (int i = 0; i < length.length; i++) {
      heads.positions(keyValue, offset[i], length[i]);
      for (int t = 0; t < length[i]; t++) {
        int at = (offset[i] + t) * a;
        heads.attend(query, at, length[i], attended, at, null, 0, biases, t);
      }
    }
    product.multiply(attended, tokens, block.output(), blocks.out);
    blocks.after(block.frame(), output, tokens);
  }
}
