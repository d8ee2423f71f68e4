package io.latimer.operators.nmt.model;

import io.latimer.operators.nmt.convert.AmunCells;
import io.latimer.operators.nmt.convert.RnnConverter;
import io.latimer.operators.nmt.convert.WeightSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A recurrent encoder-decoder with attention in canonical form: one set of names and one set of
 * equations for every variant that Amun, Nematus and Marian write.
 *
 * <p>Widths: E embedding, H state, A attention, V words; G blocks of a cell (3 for GRU, 4 for
 * LSTM). Vectors are rows, matrices act from the right, {@code *} is elementwise.
 *
 * <p>A <i>side</i> is a product with its biases and normalization: {@code side(v) = v + bias}, and
 * with layer normalization {@code LN(v + bias) * gain + shift}. LN runs over the whole vector, save
 * for a cell's side in {@link LayerNormalization#SEPARATE}, where the gates (2H) and the candidate
 * (H) are normalized each for itself. Its three vectors are {@code side.bias}, {@code side.gain},
 * {@code side.shift}.
 *
 * <p>A cell p has {@code p.W} (X x G·H), side {@code p.x}, {@code p.U} (H x G·H), side {@code p.h};
 * with X = x.side(x·W) and Y = h.side(h·U), cut into blocks:
 *
 * <pre>
 * GRU    r = sigmoid(Xr + Yr);  u = sigmoid(Xu + Yu);  n = tanh(Xn + r * Yn);  h' = u * h + (1 - u) * n
 * LSTM   f, i, o = sigmoid(X + Y);  k = tanh(Xk + Yk);  c' = f * c + i * k;    h' = o * tanh(c')
 * MLSTM  as LSTM with Y = h.side(m·U),  m = xm.side(x·Wm) * hm.side(h·Um);   p.Wm (X x H), p.Um (H x H)
 * </pre>
 *
 * <p>A transition cell has no input: no {@code p.W}, and X is {@code p.x.bias} alone.
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
 * <p>Immutable; may be shared by threads.
 */
public final class RnnModel implements Network {
  private final RnnSettings settings;
  private final Map<String, Tensor> tensors;
  private final Optional<Shortlist> shortlist;

  private RnnModel(
      RnnSettings settings, Map<String, Tensor> tensors, Optional<Shortlist> shortlist) {
    this.settings = settings;
    this.tensors = tensors;
    this.shortlist = shortlist;
  }

  /**
   * Makes a model of canonical tensors.
   *
   * @throws ModelFormatException if a tensor is missing, too many, of another shape, or holds a
   *     value that is not finite
   */
  public static RnnModel of(RnnSettings settings, Map<String, Tensor> tensors) {
    return new RnnModel(settings, TensorShape.check(settings.shapes(), tensors), Optional.empty());
  }

  /**
   * Reads a model in Amun's, Nematus' or Marian's names.
   *
   * @param cells the cells that Amun's configuration names, if there is one; they are checked
   *     against what the tensors show
   * @throws ModelFormatException if tensors are missing, misshapen or not finite, if settings and
   *     tensors disagree, or if the model is of a kind that is not supported
   */
  public static RnnModel from(WeightSource source, Optional<AmunCells> cells) {
    return new RnnConverter(source, cells).convert();
  }

  @Override
  public RnnSettings settings() {
    return settings;
  }

  @Override
  public Map<String, Tensor> tensors() {
    return tensors;
  }

  @Override
  public Optional<Shortlist> shortlist() {
    return shortlist;
  }

  @Override
  public RnnModel withShortlist(Shortlist made) {
    made.requireFor(settings);
    return new RnnModel(settings, tensors, Optional.of(made));
  }

  /** Lists the canonical tensors of a model and their shapes, in the order of files. */
  static Map<String, TensorShape> shapes(RnnSettings s) {
    Map<String, TensorShape> m = new LinkedHashMap<>();
    int e = s.embedding();
    int h = s.state();
    m.put("source.embedding", TensorShape.of(s.sourceVocabulary(), e));
    if (!s.sharesEmbeddings()) {
      m.put("target.embedding", TensorShape.of(s.targetVocabulary(), e));
    }
    encoder(m, s, "encoder.forward", s.forwardCell());
    encoder(m, s, "encoder.backward", s.backwardCell());
    layer(m, s, "start", 2 * h, h);
    cell(m, s, "decoder.cell1", s.decoderCell1(), e);
    cell(m, s, "decoder.cell2", s.decoderCell2(), 2 * h);
    for (int i = 1; i <= s.decoderTransitions(); i++) {
      transition(m, s, "decoder.transition" + i);
    }
    layer(m, s, "attention.key", 2 * h, s.attention());
    layer(m, s, "attention.query", h, s.attention());
    m.put("attention.score", TensorShape.vector(s.attention()));
    layer(m, s, "readout.state", h, e);
    layer(m, s, "readout.previous", e, e);
    layer(m, s, "readout.context", 2 * h, e);
    if (!s.tiesOutput()) {
      m.put("output.Wt", TensorShape.of(s.targetVocabulary(), e));
    }
    m.put("output.bias", TensorShape.vector(s.targetVocabulary()));
    return m;
  }

  private static void encoder(
      Map<String, TensorShape> m, RnnSettings s, String prefix, CellKind kind) {
    cell(m, s, prefix, kind, s.embedding());
    for (int i = 1; i <= s.encoderTransitions(); i++) {
      transition(m, s, prefix + ".transition" + i);
    }
  }

  private static void cell(
      Map<String, TensorShape> m, RnnSettings s, String prefix, CellKind kind, int input) {
    int h = s.state();
    int wide = kind.blocks() * h;
    m.put(prefix + ".W", TensorShape.of(input, wide));
    side(m, s, prefix + ".x", wide);
    m.put(prefix + ".U", TensorShape.of(h, wide));
    side(m, s, prefix + ".h", wide);
    if (kind == CellKind.MLSTM) {
      m.put(prefix + ".Wm", TensorShape.of(input, h));
      side(m, s, prefix + ".xm", h);
      m.put(prefix + ".Um", TensorShape.of(h, h));
      side(m, s, prefix + ".hm", h);
    }
  }

  private static void transition(Map<String, TensorShape> m, RnnSettings s, String prefix) {
    int wide = CellKind.GRU.blocks() * s.state();
    m.put(prefix + ".x.bias", TensorShape.vector(wide));
    m.put(prefix + ".U", TensorShape.of(s.state(), wide));
    side(m, s, prefix + ".h", wide);
  }

  private static void layer(
      Map<String, TensorShape> m, RnnSettings s, String prefix, int in, int out) {
    m.put(prefix + ".W", TensorShape.of(in, out));
    side(m, s, prefix, out);
  }

  private static void side(Map<String, TensorShape> m, RnnSettings s, String prefix, int width) {
    m.put(prefix + ".bias", TensorShape.vector(width));
    if (s.normalizes()) {
      m.put(prefix + ".gain", TensorShape.vector(width));
      m.put(prefix + ".shift", TensorShape.vector(width));
    }
  }
}
