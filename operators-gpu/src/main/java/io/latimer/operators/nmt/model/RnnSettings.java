package io.latimer.operators.nmt.model;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The shape and kind of a recurrent encoder-decoder with attention in canonical form: one set of
 * names and one set of equations for every variant that Amun, Nematus and Marian write.
 *
 * <p>Widths: E embedding, H state, A attention, V words; G blocks of a cell (3 for GRU, 4 for
 * LSTM). Vectors are rows, matrices act from the right, {@code *} is elementwise.
 *
 * <p>A <i>side</i> is a product with its biases and normalization: {@code side(v) = v + bias}, and
 * with layer normalization {@code LN(v + bias) * gain + shift}. LN covers the whole vector, except
 * in a cell's side with {@link LayerNormalization#SEPARATE}, where the gates (2H) and the candidate
 * (H) are normalized separately. Its three vectors are {@code side.bias}, {@code side.gain}, {@code
 * side.shift}.
 *
 * <p>A cell p has {@code p.W} (X x G·H), side {@code p.x}, {@code p.U} (H x G·H), side {@code p.h};
 * with X = x.side(x·W) and Y = h.side(h·U), split into blocks:
 *
 * <pre>
 * GRU    r = sigmoid(Xr + Yr);  u = sigmoid(Xu + Yu);  n = tanh(Xn + r * Yn);  h' = u * h + (1 - u) * n
 * LSTM   f, i, o = sigmoid(X + Y);  k = tanh(Xk + Yk);  c' = f * c + i * k;    h' = o * tanh(c')
 * MLSTM  as LSTM with Y = h.side(m·U),  m = xm.side(x·Wm) * hm.side(h·Um);   p.Wm (X x H), p.Um (H x H)
 * </pre>
 *
 * <p>A transition cell has no input: it has no {@code p.W}, and X is just {@code p.x.bias}.
 *
 * <pre>
 * source.embedding Vs x E;  target.embedding V x E (absent if shared);  output.Wt V x E (absent if tied);  output.bias 1 x V
 * encoder.forward, encoder.backward             cells, input E;  encoder.forward.transition1..., encoder.backward.transition1...
 * start.W 2H x H, side start                    s_0 = tanh(side(mean of annotations · W))
 * decoder.cell1 input E;  decoder.cell2 input 2H;  decoder.transition1... after cell 2
 * attention.key.W 2H x A, attention.query.W H x A with sides, attention.score 1 x A
 *                                               a_t = tanh(key(C_t) + query(h)) · score
 * readout.state.W H x E, readout.previous.W E x E, readout.context.W 2H x E with sides
 *                                               o = tanh(sum of the three);  logits = o · output.Wt transposed + output.bias
 * </pre>
 *
 * @param sourceVocabulary rows of the source embedding, Vs
 * @param targetVocabulary rows of the target embedding, V
 * @param embedding width of both embeddings and of the readout, E
 * @param state width of a recurrent state, H; an annotation is 2H wide
 * @param attention width of the attention's hidden layer, A
 * @param forwardCell the encoder's cell from left to right
 * @param backwardCell the encoder's cell from right to left
 * @param encoderTransitions cells without input after each encoder cell (GRU only), 0 or more
 * @param decoderCell1 the decoder's cell before the attention
 * @param decoderCell2 the decoder's cell after the attention
 * @param decoderTransitions cells without input after decoder cell 2 (GRU only), 0 or more
 * @param normalization where layers are normalized
 * @param startsCellFromState whether the decoder's c starts as s_0 (Marian) rather than 0 (Amun)
 * @param sharesEmbeddings whether the target embedding is the source embedding
 * @param tiesOutput whether the output matrix is the target embedding
 */
public record RnnSettings(
    int sourceVocabulary,
    int targetVocabulary,
    int embedding,
    int state,
    int attention,
    CellKind forwardCell,
    CellKind backwardCell,
    int encoderTransitions,
    CellKind decoderCell1,
    CellKind decoderCell2,
    int decoderTransitions,
    LayerNormalization normalization,
    boolean startsCellFromState,
    boolean sharesEmbeddings,
    boolean tiesOutput)
    implements NetworkSettings {

  public RnnSettings {
    Objects.requireNonNull(forwardCell, "forwardCell");
    Objects.requireNonNull(backwardCell, "backwardCell");
    Objects.requireNonNull(decoderCell1, "decoderCell1");
    Objects.requireNonNull(decoderCell2, "decoderCell2");
    Objects.requireNonNull(normalization, "normalization");
    SettingRange.require("sourceVocabulary", sourceVocabulary, 2, SettingRange.MAX_WIDTH);
    SettingRange.require("targetVocabulary", targetVocabulary, 2, SettingRange.MAX_WIDTH);
    SettingRange.require("embedding", embedding, 1, SettingRange.MAX_WIDTH);
    SettingRange.require("state", state, 1, SettingRange.MAX_WIDTH);
    SettingRange.require("attention", attention, 1, SettingRange.MAX_WIDTH);
    SettingRange.require("encoderTransitions", encoderTransitions, 0, SettingRange.MAX_DEPTH);
    SettingRange.require("decoderTransitions", decoderTransitions, 0, SettingRange.MAX_DEPTH);
    SettingRange.requireSharable(sharesEmbeddings, sourceVocabulary, targetVocabulary);
    if (encoderTransitions > 0 && !gru(forwardCell, backwardCell)) {
      throw new ModelFormatException("deep transition in the encoder is supported for gru only");
    }
    if (decoderTransitions > 0 && !gru(decoderCell1, decoderCell2)) {
      throw new ModelFormatException("deep transition in the decoder is supported for gru only");
    }
    if (normalization == LayerNormalization.SEPARATE
        && !gru(forwardCell, backwardCell, decoderCell1, decoderCell2)) {
      throw new ModelFormatException("Nematus' layer normalization is supported for gru only");
    }
  }

  /** A network of one kind of cell, without transitions and with nothing shared or tied. */
  public static RnnSettings plain(
      int sourceVocabulary,
      int targetVocabulary,
      int embedding,
      int state,
      int attention,
      CellKind cell,
      LayerNormalization normalization) {
    return new RnnSettings(
        sourceVocabulary,
        targetVocabulary,
        embedding,
        state,
        attention,
        cell,
        cell,
        0,
        cell,
        cell,
        0,
        normalization,
        false,
        false,
        false);
  }

  /** Whether the decoder carries a cell state c beside h. */
  public boolean hasDecoderCellState() {
    return decoderCell1.hasCellState() || decoderCell2.hasCellState();
  }

  public boolean hasOnlyGru() {
    return gru(forwardCell, backwardCell, decoderCell1, decoderCell2);
  }

  private static boolean gru(CellKind... cells) {
    return Arrays.stream(cells).allMatch(cell -> cell == CellKind.GRU);
  }

  public boolean normalizes() {
    return normalization != LayerNormalization.NONE;
  }

  @Override
  public Map<String, TensorShape> shapes() {
    Map<String, TensorShape> m = new LinkedHashMap<>();
    m.put("source.embedding", TensorShape.of(sourceVocabulary, embedding));
    if (!sharesEmbeddings) {
      m.put("target.embedding", TensorShape.of(targetVocabulary, embedding));
    }
    encoder(m, "encoder.forward", forwardCell);
    encoder(m, "encoder.backward", backwardCell);
    layer(m, "start", 2 * state, state);
    cell(m, "decoder.cell1", decoderCell1, embedding);
    cell(m, "decoder.cell2", decoderCell2, 2 * state);
    for (int i = 1; i <= decoderTransitions; i++) {
      transition(m, "decoder.transition" + i);
    }
    layer(m, "attention.key", 2 * state, attention);
    layer(m, "attention.query", state, attention);
    m.put("attention.score", TensorShape.vector(attention));
    layer(m, "readout.state", state, embedding);
    layer(m, "readout.previous", embedding, embedding);
    layer(m, "readout.context", 2 * state, embedding);
    if (!tiesOutput) {
      m.put("output.Wt", TensorShape.of(targetVocabulary, embedding));
    }
    m.put("output.bias", TensorShape.vector(targetVocabulary));
    return m;
  }

  private void encoder(Map<String, TensorShape> m, String prefix, CellKind kind) {
    cell(m, prefix, kind, embedding);
    for (int i = 1; i <= encoderTransitions; i++) {
      transition(m, prefix + ".transition" + i);
    }
  }

  private void cell(Map<String, TensorShape> m, String prefix, CellKind kind, int input) {
    int h = state;
    int wide = kind.blocks() * h;
    m.put(prefix + ".W", TensorShape.of(input, wide));
    side(m, prefix + ".x", wide);
    m.put(prefix + ".U", TensorShape.of(h, wide));
    side(m, prefix + ".h", wide);
    if (kind == CellKind.MLSTM) {
      m.put(prefix + ".Wm", TensorShape.of(input, h));
      side(m, prefix + ".xm", h);
      m.put(prefix + ".Um", TensorShape.of(h, h));
      side(m, prefix + ".hm", h);
    }
  }

  private void transition(Map<String, TensorShape> m, String prefix) {
    int wide = CellKind.GRU.blocks() * state;
    m.put(prefix + ".x.bias", TensorShape.vector(wide));
    m.put(prefix + ".U", TensorShape.of(state, wide));
    side(m, prefix + ".h", wide);
  }

  private void layer(Map<String, TensorShape> m, String prefix, int in, int out) {
    m.put(prefix + ".W", TensorShape.of(in, out));
    side(m, prefix, out);
  }

  private void side(Map<String, TensorShape> m, String prefix, int width) {
    m.put(prefix + ".bias", TensorShape.vector(width));
    if (normalizes()) {
      m.put(prefix + ".gain", TensorShape.vector(width));
      m.put(prefix + ".shift", TensorShape.vector(width));
    }
  }
}
