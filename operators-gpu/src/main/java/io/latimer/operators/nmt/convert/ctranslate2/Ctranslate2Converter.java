package io.latimer.operators.nmt.convert.ctranslate2;

import io.latimer.operators.nmt.convert.CanonicalTensors;
import io.latimer.operators.nmt.convert.IdOrder;
import io.latimer.operators.nmt.convert.ShapedWeights;
import io.latimer.operators.nmt.model.Activation;
import io.latimer.operators.nmt.model.Autoregression;
import io.latimer.operators.nmt.model.BeamRule;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.Positions;
import io.latimer.operators.nmt.model.SearchSettings;
import io.latimer.operators.nmt.model.TensorSource;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Reads the networks of CTranslate2's encoder-decoder transformers: the specifications {@code
 * TransformerSpec}, {@code TransformerBase} and {@code TransformerBig}.
 *
 * <p>The alignment is head 0 where CTranslate2 takes the mean of several heads. Source:
 * OpenNMT/CTranslate2, src/layers (transformer.cc, attention.cc, common.cc),
 * src/models/transformer.cc and python/ctranslate2/specs/transformer_spec.py.
 */
public final class Ctranslate2Converter {
  private static final int MAX_REVISION = 7;
  private static final String ENCODER = "encoder";
  private static final String DECODER = "decoder";
  private static final String TARGET = "decoder/embeddings/weight";
  private static final String PROJECTION = "decoder/projection";
  private static final String ENCODINGS = "/position_encodings/encodings";
  private static final double NEAR = 1e-3;

  /** CTranslate2's; callers choose the size of the beam. */
  private static final SearchSettings SEARCH = new SearchSettings(BeamRule.FIRST_ENDED, 0);

  /** Settings, scales of quantized weights, and what may be another's copy. */
  private static final Pattern UNREAD =
      Pattern.compile(
          "((en|de)coder/)?(num_heads|pre_norm|activation|embeddings_merge|alignment_layer"
              + "|alignment_heads|multi_query_attention|sliding_window)"
              + "|with_(source|target)_[be]os|user_decoder_start_tokens|(unk|bos|eos)_token"
              + "|(en|de)coder/(scale_embeddings|embeddings/multiply_by_sqrt_depth|scale_outputs"
              + "|alibi|alibi_use_positive_positions|scale_alibi|start_from_zero_embedding)"
              + "|.*/(self_)?attention/(queries_scale|num_heads_kv|multi_query|head_dim"
              + "|sliding_window)"
              + "|.*/self_attention/relative_attention_(bias|max_distance)"
              + "|.*/(weight_scale|keep_in_float32|layer_norm_use_residual)"
              + "|decoder/(embeddings|projection)/weight");

  private final Ctranslate2File in;
  private final Ctranslate2Settings model;
  private final List<String> sourceWords;
  private final List<String> targetWords;
  private final IdOrder sourceIds;
  private final IdOrder targetIds;
  private final String source;
  private final boolean shared;
  private final boolean tied;

  private Ctranslate2Converter(
      Ctranslate2File in,
      Ctranslate2Settings model,
      List<String> sourceListed,
      List<String> targetListed) {
    this.in = in;
    this.model = model;
    requireSupported();
    String single = "encoder/embeddings/weight";
    this.source = has(single) ? single : "encoder/embeddings_0/weight";
    this.sourceWords = model.words(sourceListed, dimension(source, 0));
    this.targetWords = model.words(targetListed, dimension(TARGET, 0));
    this.sourceIds = model.order(sourceWords);
    this.targetIds = model.order(targetWords);
    this.shared =
        Arrays.equals(sourceIds.original(), targetIds.original()) && isEqual(source, TARGET);
    this.tied = isEqual(TARGET, PROJECTION + "/weight");
  }

  /**
   * Reads what says how a network is built, but no network yet.
   *
   * @param in must stay open as long as this is used
   * @param sourceListed the tokens of the source vocabulary's file, by id
   * @param targetListed the target vocabulary's, the same if both are one
   * @throws ModelFormatException if the file is not sound, or of a kind that cannot be read
   */
  public static Ctranslate2Converter of(
      Ctranslate2File in,
      Ctranslate2Settings model,
      List<String> sourceListed,
      List<String> targetListed) {
    return new Ctranslate2Converter(in, model, sourceListed, targetListed);
  }

  /** The source vocabulary in Latimer's order: the end of a sentence, the unknown word, others. */
  public List<String> sourceWords() {
    return ordered(sourceWords, sourceIds);
  }

  /** The target vocabulary in this order. */
  public List<String> targetWords() {
    return ordered(targetWords, targetIds);
  }

  private static List<String> ordered(List<String> words, IdOrder ids) {
    return IntStream.of(ids.original()).mapToObj(words::get).toList();
  }

  private boolean has(String name) {
    return in.names().contains(name);
  }

  /** Whether two matrices are one; old files have no aliases. */
  private boolean isEqual(String one, String other) {
    return in.isSame(one, other) || in.isEqual(one, other);
  }

  private ModelFormatException refuse(String what, String only) {
    return new ModelFormatException(
        in.origin() + ": the model " + what + ", but only models " + only + " can be read");
  }

  private void requireSupported() {
    switch (in.specification()) {
      case "", "TransformerBase", "TransformerBig", "TransformerSpec" -> {}
      case "TransformerDecoderSpec" ->
          throw refuse("has only a decoder (TransformerDecoderSpec)", "with encoder and decoder");
      default ->
          throw refuse(
              "is a " + in.specification(),
              "of TransformerSpec, TransformerBase and TransformerBig");
    }
    if (in.revision() > MAX_REVISION) {
      throw refuse("has revision " + in.revision(), "up to revision " + MAX_REVISION);
    }
    UnsupportedVariant.find(in)
        .ifPresent(
            what -> {
              throw refuse(what, "without");
            });
  }

  /**
   * The network.
   *
   * @throws ModelFormatException if a tensor is missing, has another shape, or is not known
   */
  public TensorSource tensors() {
    TransformerSettings s = settings();
    TransformerVariant variant = s.variant();
    CanonicalTensors out = new CanonicalTensors(in, s);
    out.rows("source.embedding", source, sourceIds.original());
    if (!shared) {
      out.rows("target.embedding", TARGET, targetIds.original());
    }
    if (variant.positions() == Positions.LEARNED) {
      int[] rows = IntStream.range(0, variant.positionRows()).toArray();
      out.rows("source.positions", ENCODER + ENCODINGS, rows);
      out.rows("target.positions", DECODER + ENCODINGS, rows);
    } else if (variant.positions() == Positions.RELATIVE) {
      relative(out, ENCODER, s.encoderLayers());
      relative(out, DECODER, s.decoderLayers());
    }
    if (variant.normalizesEmbeddings()) {
      norm(out, "source", ENCODER + "/layernorm_embedding", 1);
      norm(out, "target", DECODER + "/layernorm_embedding", 1);
    }
    for (int i = 0; i < s.encoderLayers(); i++) {
      String from = layer(ENCODER, i);
      String to = "encoder.layer" + (i + 1);
      attention(out, to + ".self", from + "/self_attention", true);
      feedForward(out, to + ".feedforward", from + "/ffn");
    }
    for (int i = 0; i < s.decoderLayers(); i++) {
      String from = layer(DECODER, i);
      String to = "decoder.layer" + (i + 1);
      attention(out, to + ".self", from + "/self_attention", true);
      attention(out, to + ".cross", from + "/attention", false);
      feedForward(out, to + ".feedforward", from + "/ffn");
    }
    // The decoder's output is scaled where it is normalized
    double outputs = in.number("decoder/scale_outputs").orElse(1);
    if (s.normalizesTop()) {
      norm(out, ENCODER, ENCODER + "/layer_norm", 1);
      norm(out, DECODER, DECODER + "/layer_norm", (float) outputs);
    } else if (outputs != 1) {
      throw refuse("scales outputs that are not normalized", "without");
    }
    String projection = PROJECTION + "/weight";
    if (!tied) {
      out.rows("output.Wt", projection, targetIds.original());
    }
    String bias = PROJECTION + "/bias";
    if (out.has(bias)) {
      long n = dimension(projection, 0);
      out.set("output.bias", targetIds.ordered(out.vector(bias, n)));
    } else {
      out.zeros("output.bias");
    }
    out.complete(UNREAD);
    return out;
  }

  private TransformerSettings settings() {
    int width = dimension(source, 1);
    int heads = both("num_heads", side -> number(side, "num_heads", oldHeads()));
    int encoderLayers = layers(ENCODER);
    int decoderLayers = layers(DECODER);
    String first = layer(ENCODER, 0);
    int attended = dimension(last(first + "/self_attention", true) + "/weight", 1);
    if (heads < 1 || attended % heads != 0) {
      throw refuse(
          "has " + heads + " heads of " + attended + " columns", "whose heads divide them");
    }
    boolean preNorm = both("pre_norm", side -> number(side, "pre_norm", 1)) != 0;
    Activation activation = activation(both("activation", side -> number(side, "activation", 0)));
    boolean rootMeanSquare = !has(first + "/ffn/layer_norm/beta");
    int alignment = whole("alignment_layer", number(DECODER, "alignment_layer", -1));
    int alignmentHeads = whole("alignment_heads", number(DECODER, "alignment_heads", 1));
    Positions positions = positions();
    return ModelFormatException.within(
        in.origin(),
        () ->
            new TransformerSettings(
                sourceIds.original().length,
                targetIds.original().length,
                width,
                heads,
                encoderLayers,
                decoderLayers,
                dimension(first + "/ffn/linear_0/weight", 0),
                dimension(layer(DECODER, 0) + "/ffn/linear_0/weight", 0),
                activation,
                Autoregression.SELF_ATTENTION,
                0,
                activation,
                preNorm ? NormPlacement.PRE : NormPlacement.POST,
                bothHave("/layer_norm/gamma"),
                1 + alignment + (alignment < 0 ? decoderLayers : 0),
                shared,
                tied,
                new TransformerVariant(
                    positions,
                    positions == Positions.SINUSOIDAL ? 1 : 0,
                    positions == Positions.LEARNED
                        ? Math.min(
                            dimension(ENCODER + ENCODINGS, 0), dimension(DECODER + ENCODINGS, 0))
                        : 0,
                    positions == Positions.RELATIVE ? dimension(bias(ENCODER, 0), 0) : 0,
                    positions == Positions.RELATIVE ? both("distance", this::distance) : 0,
                    both("scale_embeddings", side -> scalesEmbeddings(side, width)) != 0,
                    bothHave("/layernorm_embedding/gamma"),
                    rootMeanSquare,
                    model.epsilon().orElse(rootMeanSquare ? 1e-6 : 1e-5),
                    has(first + "/ffn/linear_0_noact/weight"),
                    0,
                    scalesAttention(width, heads, attended / heads, encoderLayers, decoderLayers),
                    attended == width ? 0 : attended / heads,
                    start(),
                    alignmentHeads == 0 ? heads : alignmentHeads,
                    false,
                    SEARCH)));
  }

  private static String layer(String side, int i) {
    return side + "/layer_" + i;
  }

  private static String bias(String side, int i) {
    return layer(side, i) + "/self_attention/relative_attention_bias";
  }

  private int layers(String side) {
    int layers = 0;
    while (has(layer(side, layers) + "/ffn/linear_0/weight")) {
      layers++;
    }
    return layers;
  }

  /** Heads of revisions that do not say it. */
  private int oldHeads() {
    return in.specification().equals("TransformerBig") ? 16 : 8;
  }

  /** A setting of a side; old files have one for both. */
  private double number(String side, String name, double ifAbsent) {
    OptionalDouble own = in.number(side + "/" + name);
    return own.isPresent() ? own.getAsDouble() : in.number(name).orElse(ifAbsent);
  }

  /** A whole number that both sides have. */
  private int both(String what, ToDoubleFunction<String> of) {
    int encoder = whole(what, of.applyAsDouble(ENCODER));
    int decoder = whole(what, of.applyAsDouble(DECODER));
    if (encoder != decoder) {
      throw refuse(
          "has " + what + " " + encoder + " in the encoder and " + decoder + " in the decoder",
          "with one");
    }
    return encoder;
  }

  private int whole(String what, double number) {
    if (number != (int) number) {
      throw refuse("has " + what + " " + number, "with a whole number");
    }
    return (int) number;
  }

  private boolean bothHave(String name) {
    return both(name, side -> has(side + name) ? 1 : 0) != 0;
  }

  private int dimension(String name, int axis) {
    long[] shape = in.shape(name);
    if (shape.length != 2 || shape[axis] > Integer.MAX_VALUE) {
      throw new ModelFormatException(
          in.origin()
              + ": variable "
              + name
              + ": expected a matrix, found "
              + ShapedWeights.text(shape));
    }
    return (int) shape[axis];
  }

  private Activation activation(int id) {
    return switch (id) {
      case 0 -> Activation.RELU;
      case 1 -> Activation.GELU_TANH;
      case 2 -> Activation.SWISH;
      case 3 -> Activation.GELU_ERF;
      case 4 -> Activation.GELU;
      default -> throw refuse("has activation " + id, "with 0 to 4 (ReLU, GELU and Swish)");
    };
  }

  private Positions positions() {
    if (both("relative_attention_bias", side -> has(bias(side, 0)) ? 1 : 0) != 0) {
      return Positions.RELATIVE;
    }
    return bothHave(ENCODINGS) ? Positions.LEARNED : Positions.SINUSOIDAL;
  }

  private double distance(String side) {
    String name = layer(side, 0) + "/self_attention/relative_attention_max_distance";
    return in.number(name)
        .orElseThrow(() -> new ModelFormatException(in.origin() + ": " + name + " is missing"));
  }

  /** 1 if embeddings are multiplied by the square root of the width, 0 if they are not scaled. */
  private double scalesEmbeddings(String side, int width) {
    String name = side + "/scale_embeddings";
    if (!has(name)) {
      name = side + "/embeddings/multiply_by_sqrt_depth";
    }
    double scale = in.number(name).orElse(Math.sqrt(width));
    if (has(name) && in.isFlag(name)) {
      return scale == 0 ? 0 : 1;
    }
    if (scale == 1) {
      return 0;
    }
    if (!isNear(scale, Math.sqrt(width))) {
      throw refuse("multiplies embeddings by " + scale, "that do so by the width's square root");
    }
    return 1;
  }

  private static boolean isNear(double found, double expected) {
    return Math.abs(found - expected) <= NEAR * expected;
  }

  private boolean scalesAttention(
      int width, int heads, int headWidth, int encoderLayers, int decoderLayers) {
    List<String> attentions = new ArrayList<>();
    for (int i = 0; i < encoderLayers; i++) {
      attentions.add(layer(ENCODER, i) + "/self_attention");
    }
    for (int i = 0; i < decoderLayers; i++) {
      attentions.add(layer(DECODER, i) + "/self_attention");
      attentions.add(layer(DECODER, i) + "/attention");
    }
    int columns = width / heads; // what the program divides by, even if heads are wider
    double usual = 1 / Math.sqrt(headWidth);
    int scaled = 0;
    for (String name : attentions) {
      if (in.number(name + "/num_heads_kv").orElse(heads) != heads) {
        throw refuse("has other heads of keys and values (" + name + "/num_heads_kv)", "without");
      }
      double divisor = Math.sqrt(in.number(name + "/head_dim").orElse(columns));
      double scale = in.number(name + "/queries_scale").orElse(1 / divisor);
      if (isNear(scale, usual)) {
        scaled++;
      } else if (!isNear(scale, 1)) {
        throw refuse("has queries_scale " + scale + " in " + name, "with 1 or " + usual);
      }
    }
    if (scaled != 0 && scaled != attentions.size()) {
      throw refuse("has several scales of queries", "with one");
    }
    return scaled != 0;
  }

  private int start() {
    if (in.number("decoder/start_from_zero_embedding").orElse(0) != 0) {
      return TransformerVariant.NO_START;
    }
    String token =
        model
            .start()
            .orElseThrow(
                () -> refuse("takes the decoder's start from each text", "that name its token"));
    return targetIds.of(model.id(targetWords, token));
  }

  /** The last linear layer of an attention, its output; those before may be fused. */
  private String last(String from, boolean self) {
    return from + "/linear_" + (isFused(from) ? self ? 1 : 2 : 3);
  }

  private boolean isFused(String from) {
    return !has(from + "/linear_3/weight");
  }

  private void relative(CanonicalTensors out, String side, int layers) {
    out.matrix(side + ".positions", bias(side, 0));
    for (int i = 1; i < layers; i++) {
      if (has(bias(side, i)) && !isEqual(bias(side, 0), bias(side, i))) {
        throw refuse("has other biases in " + bias(side, i), "that have one table a side");
      }
    }
  }

  private static TransformerVariant variant(CanonicalTensors out) {
    return ((TransformerSettings) out.settings()).variant();
  }

  private static void norm(CanonicalTensors out, String to, String from, float factor) {
    out.scaled(to + ".norm.gain", from + "/gamma", factor);
    if (!variant(out).rootMeanSquare()) {
      out.scaled(to + ".norm.shift", from + "/beta", factor);
    }
  }

  private static void linear(CanonicalTensors out, String to, String from, int part, int parts) {
    out.transposed(to + ".W", from + "/weight", part, parts);
    if (out.has(from + "/bias")) {
      out.vector(to + ".bias", from + "/bias", part, parts);
    } else {
      out.zeros(to + ".bias");
    }
  }

  private void attention(CanonicalTensors out, String to, String from, boolean self) {
    if (!isFused(from)) {
      linear(out, to + ".query", from + "/linear_0", 0, 1);
      linear(out, to + ".key", from + "/linear_1", 0, 1);
      linear(out, to + ".value", from + "/linear_2", 0, 1);
    } else if (self) {
      linear(out, to + ".query", from + "/linear_0", 0, 3);
      linear(out, to + ".key", from + "/linear_0", 1, 3);
      linear(out, to + ".value", from + "/linear_0", 2, 3);
    } else {
      linear(out, to + ".query", from + "/linear_0", 0, 1);
      linear(out, to + ".key", from + "/linear_1", 0, 2);
      linear(out, to + ".value", from + "/linear_1", 1, 2);
    }
    linear(out, to + ".output", last(from, self), 0, 1);
    norm(out, to, from + "/layer_norm", 1);
  }

  private static void feedForward(CanonicalTensors out, String to, String from) {
    linear(out, to + ".inner", from + "/linear_0", 0, 1);
    if (variant(out).gatedFeedForward()) {
      linear(out, to + ".gate", from + "/linear_0_noact", 0, 1);
    }
    linear(out, to + ".outer", from + "/linear_1", 0, 1);
    norm(out, to, from + "/layer_norm", 1);
  }
}
