package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.Autoregression;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.Positions;
import io.latimer.operators.nmt.model.SettingRange;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Converts a model of Marian's type {@code transformer} to canonical form.
 *
 * <p>Properties that tensors cannot show (heads, activations, placement of normalization) come from
 * the settings in the file, which are required; for all others, settings and tensors must agree.
 */
final class TransformerConverter {
  private static final Pattern LAYER =
      Pattern.compile("(encoder|decoder)_l\\d+_(self|context|ffn|rnn|aan)_.*");
  private static final Pattern MEANT = Pattern.compile("(encoder|decoder)_.*|Wemb\\d*|Wpos");

  /** Keys of our own: what aligns best was measured after the training. */
  private static final String ALIGNMENT_HEADS = "latimer-alignment-heads";

  private static final String ALIGNS_NEXT = "latimer-aligns-next";
  private static final String OUTPUT = "decoder_ff_logit_out";

  /** The widest model whose feed-forward networks may have one layer. */
  private static final int WIDEST_SINGLE = 1 << 14;

  private final WeightReader in;
  private final MarianSettings marian;
  private final Map<String, Tensor> out = new LinkedHashMap<>();
  private int width;

  TransformerConverter(WeightSource source) {
    this.in = new WeightReader(source);
    this.marian =
        source
            .text(MarianSettings.ENTRY)
            .map(text -> MarianSettings.parse(source.origin(), text))
            .orElseThrow(
                () ->
                    new ModelFormatException(
                        source.origin()
                            + " is a transformer without "
                            + MarianSettings.ENTRY
                            + ": expected the settings that Marian writes into its models, because"
                            + " the tensors do not show how many heads there are"));
  }

  /** Whether a file declares itself a transformer or, without a declaration, looks like one. */
  static boolean recognizes(WeightSource source) {
    Optional<String> type =
        source
            .text(MarianSettings.ENTRY)
            .flatMap(text -> MarianSettings.parse(source.origin(), text).string("type"));
    return type.map(TransformerOptions.TYPE::equals)
        .orElseGet(() -> source.names().stream().anyMatch(TransformerConverter::isLayer));
  }

  /** Whether a tensor has the name of a part of a transformer's layer. */
  static boolean isLayer(String tensor) {
    return LAYER.matcher(tensor).matches();
  }

  Network convert() {
    TransformerOptions options = TransformerOptions.read(marian);
    boolean shared = in.has("Wemb");
    String sourceName = shared ? "Wemb" : "encoder_Wemb";
    Tensor source = in.any(sourceName, "source words x width");
    width = source.cols();
    put("source.embedding", source);
    Tensor target = source;
    if (!shared) {
      target = in.any("decoder_Wemb", "target words x " + width);
      if (target.cols() != width) {
        throw in.shape(target, target.rows() + " x " + width);
      }
      put("target.embedding", target);
    }
    agree("dim-emb", marian.integer("dim-emb"), width);
    TransformerVariant variant = inputs(options);

    int encoderLayers = layers("encoder", marian.integer("enc-depth"));
    List<Integer> tied = marian.integers("transformer-tied-layers");
    int decoderLayers =
        tied.isEmpty() ? layers("decoder", marian.integer("dec-depth")) : tied.size();
    requireDepth("encoder", encoderLayers);
    requireDepth("decoder", decoderLayers);
    if (!tied.isEmpty()) {
      agree("dec-depth", marian.integer("dec-depth"), decoderLayers);
    }
    int encoderInner = inner("encoder_l1_ffn", options);
    agreeInner("transformer-dim-ffn", marian.integer("transformer-dim-ffn"), encoderInner, options);
    for (int i = 1; i <= encoderLayers; i++) {
      attention("encoder_l" + i + "_self", "encoder.layer" + i + ".self", options);
      feedForward(
          "encoder_l" + i + "_ffn", "encoder.layer" + i + ".feedforward", encoderInner, options);
    }
    int first = tied.isEmpty() ? 1 : tied.get(0);
    int decoderInner = inner("decoder_l" + first + "_ffn", options);
    agreeInner(
        "transformer-decoder-dim-ffn",
        marian
            .integer("transformer-decoder-dim-ffn")
            .filter(n -> n != 0)
            .or(() -> marian.integer("transformer-dim-ffn")),
        decoderInner,
        options);
    boolean averages = options.autoregression() == Autoregression.AVERAGE_ATTENTION;
    int averageInner = averages ? inner("decoder_l" + first + "_aan") : 0;
    for (int i = 1; i <= decoderLayers; i++) {
      String from = "decoder_l" + (tied.isEmpty() ? i : tied.get(i - 1));
      String to = "decoder.layer" + i;
      switch (options.autoregression()) {
        case SELF_ATTENTION -> attention(from + "_self", to + ".self", options);
        case AVERAGE_ATTENTION -> average(from + "_aan", to + ".average", averageInner, options);
        case SSRU -> ssru(from + "_rnn", to + ".ssru", options);
      }
      attention(from + "_context", to + ".cross", options);
      feedForward(from + "_ffn", to + ".feedforward", decoderInner, options);
    }
    if (options.normalizesTop()) {
      norm("encoder_top_ln", "", "encoder");
      norm("decoder_top_ln", "", "decoder");
    }
    int targetWords = target.rows();
    boolean tiesOutput = output(targetWords);
    TransformerSettings settings =
        ModelFormatException.within(
            in.origin(),
            () ->
                new TransformerSettings(
                    source.rows(),
                    targetWords,
                    width,
                    heads(options),
                    encoderLayers,
                    decoderLayers,
                    encoderInner,
                    decoderInner,
                    options.activation(),
                    options.autoregression(),
                    averageInner,
                    averages ? options.averageActivation() : options.activation(),
                    options.normalization(),
                    options.normalizesTop(),
                    alignmentLayer(decoderLayers),
                    shared,
                    tiesOutput,
                    variant));
    requireAgreement(settings);
    in.requireRead(MEANT);
    return Network.of(settings, ordered(settings));
  }

  /** Restores the order of the shapes, which is the order in files. */
  private Map<String, Tensor> ordered(TransformerSettings settings) {
    Map<String, Tensor> ordered = new LinkedHashMap<>();
    settings
        .shapes()
        .keySet()
        .forEach(
            name -> {
              if (out.containsKey(name)) {
                ordered.put(name, out.get(name));
              }
            });
    return ordered;
  }

  private void put(String canonical, Tensor tensor) {
    out.put(canonical, new Tensor(canonical, tensor.rows(), tensor.cols(), tensor.numbers()));
  }

  /** Checked before layers are converted: tied ones cost time and no bytes of the file. */
  private void requireDepth(String side, int layers) {
    if (layers > SettingRange.MAX_DEPTH) {
      throw new ModelFormatException(
          in.origin()
              + ": model setting "
              + side
              + "Layers must be from 1 to "
              + SettingRange.MAX_DEPTH
              + ", found "
              + layers);
    }
  }

  /** Counts the layers of a side, which must be numbered from 1 without gaps. */
  private int layers(String side, Optional<Integer> set) {
    int n = 0;
    while (in.has(side + "_l" + (n + 1) + "_ffn_W1")) {
      n++;
    }
    String key = side.equals("encoder") ? "enc-depth" : "dec-depth";
    if (set.isPresent() && set.get() > n && set.get() <= SettingRange.MAX_DEPTH) {
      throw in.missing(
          side + "_l" + (n + 1) + "_ffn_W1",
          "the weights of layer " + (n + 1) + " (" + key + " is " + set.get() + ")");
    }
    if (n == 0) {
      throw in.missing(side + "_l1_ffn_W1", width + " x inner width");
    }
    agree(key, set, n);
    return n;
  }

  /** The inner width of a feed-forward network. */
  /** Where there is one layer only, two of twice the width compute the same. */
  private int inner(String prefix, TransformerOptions options) {
    if (options.feedForwardDepth() > 1) {
      return inner(prefix);
    }
    if (width > WIDEST_SINGLE) {
      throw marian.refuse(
          "transformer-ffn-depth is 1 at a width of "
              + width
              + ", but only up to a width of "
              + WIDEST_SINGLE);
    }
    return 2 * width;
  }

  private void agreeInner(
      String key, Optional<Integer> set, int found, TransformerOptions options) {
    if (options.feedForwardDepth() > 1) {
      agree(key, set, found);
    }
  }

  private int inner(String prefix) {
    Tensor w = in.any(prefix + "_W1", width + " x inner width");
    if (w.rows() != width) {
      throw in.shape(w, width + " x inner width");
    }
    return w.cols();
  }

  private void matrix(String from, String to, int rows, int cols) {
    out.put(to, Tensor.of(to, rows, cols, in.matrix(from, rows, cols)));
  }

  private void vector(String from, String to, int n) {
    out.put(to, Tensor.of(to, 1, n, in.vector(from, n)));
  }

  /** A linear layer; names differ by the suffix of W and b. */
  private void linear(String from, String suffix, String to, int inputs, int outputs) {
    matrix(from + "_W" + suffix, to + ".W", inputs, outputs);
    vector(from + "_b" + suffix, to + ".bias", outputs);
  }

  /**
   * Reads trained positions and the normalization of embeddings.
   *
   * <p>Both sides have one table of positions, and embeddings are not scaled beside it. Word t has
   * row t, as in training; when it translates, Marian gives row 0 to every word of the output.
   */
  private TransformerVariant inputs(TransformerOptions options) {
    int rows = 0;
    if (options.trainsPositions()) {
      Tensor table = in.any("Wpos", "positions x " + width);
      rows = table.rows();
      if (rows == 0 || table.cols() != width) {
        throw in.shape(table, "positions x " + width);
      }
      put("source.positions", table);
      put("target.positions", table);
    }
    if (options.normalizesEmbeddings()) {
      norm("encoder_emb_ln", "_pre", "source");
      norm("decoder_emb_ln", "_pre", "target");
    }
    TransformerVariant marian = TransformerVariant.MARIAN;
    return new TransformerVariant(
        rows > 0 ? Positions.LEARNED : marian.positions(),
        marian.firstPosition(),
        rows,
        marian.relativeBuckets(),
        marian.relativeDistance(),
        rows == 0,
        options.normalizesEmbeddings(),
        marian.rootMeanSquare(),
        marian.epsilon(),
        marian.gatedFeedForward(),
        Math.max(0, options.feedForwardDepth() - 2),
        marian.scalesAttention(),
        marian.headWidth(),
        marian.start(),
        alignmentHeads(heads(options)),
        this.marian.isSet(ALIGNS_NEXT),
        marian.search());
  }

  private void norm(String from, String suffix, String to) {
    vector(from + "_scale" + suffix, to + ".norm.gain", width);
    vector(from + "_bias" + suffix, to + ".norm.shift", width);
  }

  private void attention(String from, String to, TransformerOptions options) {
    linear(from, "q", to + ".query", width, width);
    linear(from, "k", to + ".key", width, width);
    linear(from, "v", to + ".value", width, width);
    linear(from, "o", to + ".output", width, width);
    norm(from + "_Wo_ln", options.normSuffix(), to);
  }

  private void feedForward(String from, String to, int inner, TransformerOptions options) {
    int depth = options.feedForwardDepth();
    if (depth == 1) {
      single(from, to);
    } else {
      linear(from, "1", to + ".inner", width, inner);
      for (int i = 2; i < depth; i++) {
        linear(from, "" + i, to + ".middle" + (i - 1), inner, inner);
      }
      linear(from, "" + depth, to + ".outer", inner, width);
    }
    norm(from + "_ffn_ln", options.normSuffix(), to);
  }

  /** One layer v·W + b, without activation, is relu(v·W + b) - relu(-(v·W + b)). */
  private void single(String from, String to) {
    float[] w = in.matrix(from + "_W1", width, width);
    float[] b = in.vector(from + "_b1", width);
    float[] inner = new float[2 * width * width];
    float[] outer = new float[2 * width * width];
    float[] bias = new float[2 * width];
    for (int i = 0; i < width; i++) {
      for (int j = 0; j < width; j++) {
        inner[i * 2 * width + j] = w[i * width + j];
        inner[i * 2 * width + width + j] = -w[i * width + j];
      }
      outer[i * width + i] = 1;
      outer[(width + i) * width + i] = -1;
      bias[i] = b[i];
      bias[width + i] = -b[i];
    }
    out.put(to + ".inner.W", Tensor.of(to + ".inner.W", width, 2 * width, inner));
    out.put(to + ".inner.bias", Tensor.of(to + ".inner.bias", 1, 2 * width, bias));
    out.put(to + ".outer.W", Tensor.of(to + ".outer.W", 2 * width, width, outer));
    out.put(to + ".outer.bias", Tensor.of(to + ".outer.bias", 1, width, new float[width]));
  }

  private void average(String from, String to, int inner, TransformerOptions options) {
    if (inner == width && !in.has(from + "_W2")) {
      throw in.refuse(
          from + "_W1",
          "belongs to average attention of the model's own width ("
              + width
              + "), which has no second layer, but only average attention with two layers");
    }
    linear(from, "1", to + ".inner", width, inner);
    linear(from, "2", to + ".outer", inner, width);
    linear(from, "i", to + ".input", width, width);
    linear(from, "f", to + ".forget", width, width);
    norm(from + "_ffn_ln", options.normSuffix(), to);
  }

  private void ssru(String from, String to, TransformerOptions options) {
    matrix(from + "_W", to + ".candidate.W", width, width);
    linear(from, "f", to + ".forget", width, width);
    boolean post = options.normalization() == NormPlacement.POST;
    norm(from + (post ? "_ffn_ln" : "_ln"), options.normSuffix(), to);
  }

  /** Finds the output matrix and bias; returns whether the matrix is the target embedding. */
  private boolean output(int v) {
    boolean tied = false;
    if (in.has(OUTPUT + "_Wt")) {
      matrix(OUTPUT + "_Wt", "output.Wt", v, width);
    } else if (in.has(OUTPUT + "_W")) {
      out.put(
          "output.Wt", Tensor.of("output.Wt", v, width, in.transposed(OUTPUT + "_W", v, width)));
    } else {
      tied = true;
    }
    boolean all = marian.isSet("tied-embeddings-all");
    boolean set = all || marian.isSet("tied-embeddings");
    if (tied && !set && marian.flag("tied-embeddings").isPresent()) {
      throw in.missing(
          OUTPUT + "_Wt", v + " x " + width + " (the settings say that it is not tied)");
    }
    if (!tied && set) {
      throw new ModelFormatException(
          marian.origin()
              + " says that the output is tied to the embedding, but the file holds an output"
              + " matrix of its own");
    }
    if (all && !in.has("Wemb")) {
      throw in.missing("Wemb", "one embedding for both sides (tied-embeddings-all)");
    }
    boolean omitted = !in.has(OUTPUT + "_b") && marian.isSet("output-omit-bias");
    float[] bias = omitted ? new float[v] : in.vector(OUTPUT + "_b", v);
    out.put("output.bias", Tensor.of("output.bias", 1, v, bias));
    return tied;
  }

  private int heads(TransformerOptions options) {
    int heads = options.heads();
    if (heads < 1 || width % heads != 0) {
      throw new ModelFormatException(
          marian.origin()
              + ": transformer-heads: expected a divisor of the width "
              + width
              + ", found "
              + heads);
    }
    return heads;
  }

  private int alignmentHeads(int heads) {
    int set = marian.integer(ALIGNMENT_HEADS).orElse(1);
    if (set < 1 || set > heads) {
      throw new ModelFormatException(
          String.format(
              Locale.ROOT,
              "%s: %s: expected 1 to %d, found %d",
              marian.origin(),
              ALIGNMENT_HEADS,
              heads,
              set));
    }
    return set;
  }

  private int alignmentLayer(int layers) {
    String set = marian.string("transformer-guided-alignment-layer").orElse("last");
    if (set.equals("last")) {
      return layers;
    }
    try {
      int layer = Integer.parseInt(set);
      if (layer >= 1 && layer <= layers) {
        return layer;
      }
    } catch (NumberFormatException e) {
      // the same error as for a number that is not a layer
    }
    throw new ModelFormatException(
        String.format(
            Locale.ROOT,
            "%s: transformer-guided-alignment-layer: expected last or 1 to %d, found %s",
            marian.origin(),
            layers,
            set));
  }

  private void requireAgreement(TransformerSettings s) {
    marian.requireVocabularies(s.sourceVocabulary(), s.targetVocabulary());
    if (s.autoregression() == Autoregression.AVERAGE_ATTENTION) {
      agree("transformer-dim-aan", marian.integer("transformer-dim-aan"), s.averageFeedForward());
    }
  }

  private void agree(String key, Optional<Integer> set, int found) {
    marian.requireAgreement(key, set, found);
  }
}
