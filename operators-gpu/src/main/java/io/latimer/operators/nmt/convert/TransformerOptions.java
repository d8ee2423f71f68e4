package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.Activation;
import io.latimer.operators.nmt.model.Autoregression;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.TransformerSettings;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The properties of a transformer that only Marian's settings show; any option that would change
 * the equations of {@link TransformerSettings} is rejected.
 *
 * @param feedForwardDepth layers of feed-forward networks, 1 to {@value #MAX_DEPTH}: all but the
 *     last are activated
 */
record TransformerOptions(
    int heads,
    int feedForwardDepth,
    Activation activation,
    Autoregression autoregression,
    Activation averageActivation,
    NormPlacement normalization,
    boolean normalizesTop,
    boolean normalizesEmbeddings,
    boolean trainsPositions) {
  static final String TYPE = "transformer";

  private static final int DEFAULT_HEADS = 8;
  private static final int USUAL_DEPTH = 2;

  /** The last layer's number is one digit in the names of its tensors. */
  private static final int MAX_DEPTH = 9;

  private static final Pattern VERSION =
      Pattern.compile("v?(\\d{1,6})\\.(\\d{1,6})\\.(\\d{1,6}).*");

  /** Since this version, models that normalize before layers have correct self-attention. */
  private static final int[] NORMALIZES_KEYS = {1, 10, 28};

  private static final String[] REFUSED = {
    "transformer-no-projection",
    "transformer-rnn-projection",
    "transformer-pool",
    "transformer-disable-position-embeddings",
    "transformer-alibi-shift",
    "transformer-alibi-trainable",
    "transformer-no-bias",
    "transformer-no-affine",
  };

  static TransformerOptions read(MarianSettings m) {
    m.requirePlain();
    for (String key : REFUSED) {
      if (m.isSet(key)) {
        throw m.refuse("the transformer has " + key + ", but only transformers without");
      }
    }
    String mask = m.string("transformer-attention-mask").orElse("default");
    if (!mask.equals("default")) {
      throw m.refuse("transformer-attention-mask is \"" + mask + "\", but only \"default\"");
    }
    int depth = m.integer("transformer-ffn-depth").orElse(USUAL_DEPTH);
    if (depth < 1 || depth > MAX_DEPTH) {
      throw m.refuse("transformer-ffn-depth is " + depth + ", but only 1 to " + MAX_DEPTH);
    }
    int decoderDepth = m.integer("transformer-decoder-ffn-depth").orElse(0);
    if (decoderDepth != 0 && decoderDepth != depth) {
      throw m.refuse(
          "transformer-decoder-ffn-depth is "
              + decoderDepth
              + ", but only transformer-ffn-depth, "
              + depth
              + ",");
    }
    Autoregression autoregression = autoregression(m);
    NormPlacement normalization = normalization(m);
    String top = operations(m, "transformer-postprocess-top");
    if (!top.isEmpty() && !top.equals("n")) {
      throw m.refuse(
          "transformer-postprocess-top is \"" + top + "\", but only \"n\" or an empty setting");
    }
    String embedding = operations(m, "transformer-postprocess-emb");
    if (!embedding.isEmpty() && !embedding.equals("n")) {
      throw m.refuse(
          "transformer-postprocess-emb is \"" + embedding + "\", but only \"d\" and \"n\"");
    }
    return new TransformerOptions(
        m.integer("transformer-heads").orElse(DEFAULT_HEADS),
        depth,
        depth == 1 ? Activation.RELU : activation(m, "transformer-ffn-activation"),
        autoregression,
        activation(m, "transformer-aan-activation"),
        normalization,
        top.equals("n"),
        embedding.equals("n"),
        // transformers take the former, the command line the latter
        m.isSet("transformer-train-positions") || m.isSet("transformer-train-position-embeddings"));
  }

  /** The suffix in the names of a layer's normalization. */
  String normSuffix() {
    return normalization == NormPlacement.POST ? "" : "_pre";
  }

  private static Activation activation(MarianSettings m, String key) {
    String name = m.string(key).orElse("swish");
    return switch (name) {
      case "relu" -> Activation.RELU;
      case "swish" -> Activation.SWISH;
      case "gelu" -> Activation.GELU;
      default -> throw m.refuse(key + " is \"" + name + "\", but only relu, swish and gelu");
    };
  }

  private static Autoregression autoregression(MarianSettings m) {
    String name = m.string("transformer-decoder-autoreg").orElse("self-attention");
    switch (name) {
      case "self-attention" -> {
        return Autoregression.SELF_ATTENTION;
      }
      case "average-attention" -> {
        int depth = m.integer("transformer-aan-depth").orElse(USUAL_DEPTH);
        if (depth != USUAL_DEPTH) {
          throw m.refuse("transformer-aan-depth is " + depth + ", but only " + USUAL_DEPTH);
        }
        if (m.isSet("transformer-aan-nogate")) {
          throw m.refuse(
              "the transformer has transformer-aan-nogate, but only transformers without");
        }
        return Autoregression.AVERAGE_ATTENTION;
      }
      case "rnn" -> {
        String cell = m.string("dec-cell").orElse("gru");
        if (!cell.equals("ssru")) {
          throw m.refuse("the transformer's decoder has cells \"" + cell + "\", but only ssru");
        }
        return Autoregression.SSRU;
      }
      default ->
          throw m.refuse(
              "transformer-decoder-autoreg is \""
                  + name
                  + "\", but only self-attention, average-attention and rnn");
    }
  }

  private static NormPlacement normalization(MarianSettings m) {
    String before = operations(m, "transformer-preprocess");
    String after = operations(m, "transformer-postprocess");
    if (before.isEmpty() && after.equals("an")) {
      return NormPlacement.POST;
    }
    if (before.equals("n") && after.equals("a")) {
      return normalizesKeys(m) ? NormPlacement.PRE : NormPlacement.PRE_QUERIES;
    }
    throw m.refuse(
        "transformer-preprocess is \""
            + before
            + "\" and transformer-postprocess \""
            + after
            + "\", but only \"\" with \"dan\" (normalization after layers), and \"n\" with \"da\""
            + " (before)");
  }

  /** A layer's operations except dropout, which translation does not use. */
  private static String operations(MarianSettings m, String key) {
    String usual = key.equals("transformer-postprocess") ? "dan" : "";
    return m.string(key).orElse(usual).replace("d", "");
  }

  private static boolean normalizesKeys(MarianSettings m) {
    Matcher version = VERSION.matcher(m.string("version").orElse("").trim());
    if (!version.matches()) {
      return false;
    }
    for (int i = 0; i < NORMALIZES_KEYS.length; i++) {
      int part = Integer.parseInt(version.group(i + 1));
      if (part != NORMALIZES_KEYS[i]) {
        return part > NORMALIZES_KEYS[i];
      }
    }
    return true;
  }
}
