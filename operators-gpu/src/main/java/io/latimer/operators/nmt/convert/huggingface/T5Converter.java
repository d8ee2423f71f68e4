package io.latimer.operators.nmt.convert.huggingface;

import io.latimer.operators.nmt.convert.CanonicalTensors;
import io.latimer.operators.nmt.convert.IdOrder;
import io.latimer.operators.nmt.convert.JsonSettings;
import io.latimer.operators.nmt.convert.ShapedWeights;
import io.latimer.operators.nmt.model.Activation;
import io.latimer.operators.nmt.model.Autoregression;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.Positions;
import io.latimer.operators.nmt.model.SearchSettings;
import io.latimer.operators.nmt.model.TensorSource;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads the networks of Hugging Face's {@code T5ForConditionalGeneration} and {@code
 * MT5ForConditionalGeneration} (also MADLAD-400).
 *
 * <p>Source: huggingface/transformers, modeling_t5.py; Raffel et al., 2020.
 */
final class T5Converter {
  private static final String GATED = "gated-";

  private static final Pattern UNREAD =
      Pattern.compile(
          "lm_head\\.weight|shared\\.weight|(en|de)coder\\.embed_tokens\\.weight"
              + "|decoder\\.block\\.0\\.layer\\.1\\.EncDecAttention\\.relative_attention_bias\\.weight");

  private final JsonSettings config;
  private final IdOrder ids;
  private final SearchSettings search;
  private final boolean gated;
  private final boolean tied;
  private final Embeddings embeddings;

  private T5Converter(ShapedWeights in, JsonSettings config, IdOrder ids, SearchSettings search) {
    this.config = config;
    this.ids = ids;
    this.search = search;
    this.gated = config.string("feed_forward_proj").orElse("relu").startsWith(GATED);
    this.tied = config.flag("tie_word_embeddings", true);
    this.embeddings = Embeddings.of(in, "", tied);
  }

  /** The network of a folder's configuration and weights. */
  static TensorSource convert(
      ShapedWeights in, JsonSettings config, IdOrder ids, SearchSettings search) {
    return new T5Converter(in, config, ids, search).convert(in);
  }

  private TensorSource convert(ShapedWeights in) {
    TransformerSettings s = settings();
    CanonicalTensors out = new CanonicalTensors(in, s);
    out.rows("source.embedding", embeddings.source(), ids.original());
    if (!embeddings.areShared()) {
      out.rows("target.embedding", embeddings.target(), ids.original());
    }
    for (String side : new String[] {"encoder", "decoder"}) {
      out.matrix(
          side + ".positions",
          side + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight");
    }
    for (int i = 0; i < s.encoderLayers(); i++) {
      String from = "encoder.block." + i + ".layer.";
      String to = "encoder.layer" + (i + 1);
      attention(out, to + ".self", from + "0", "SelfAttention");
      feedForward(out, to + ".feedforward", from + "1");
    }
    for (int i = 0; i < s.decoderLayers(); i++) {
      String from = "decoder.block." + i + ".layer.";
      String to = "decoder.layer" + (i + 1);
      attention(out, to + ".self", from + "0", "SelfAttention");
      attention(out, to + ".cross", from + "1", "EncDecAttention");
      feedForward(out, to + ".feedforward", from + "2");
    }
    out.vector("encoder.norm.gain", "encoder.final_layer_norm.weight");
    // A tied output layer is divided by the square root of the width: here, its input is.
    float factor =
        config.flag("scale_decoder_outputs", tied) ? (float) (1 / Math.sqrt(s.width())) : 1;
    out.scaled("decoder.norm.gain", "decoder.final_layer_norm.weight", factor);
    if (!tied) {
      out.rows("output.Wt", "lm_head.weight", ids.original());
    }
    out.zeros("output.bias");
    out.complete(UNREAD);
    return out;
  }

  private TransformerSettings settings() {
    int words = config.integer("vocab_size", 2);
    int layers = config.integer("num_layers", 1);
    int decoderLayers = config.integer("num_decoder_layers").orElse(layers);
    int inner = config.integer("d_ff", 1);
    Activation activation = activation();
    return config.within(
        () ->
            new TransformerSettings(
                words,
                words,
                config.integer("d_model", 4),
                config.integer("num_heads", 1),
                layers,
                decoderLayers,
                inner,
                inner,
                activation,
                Autoregression.SELF_ATTENTION,
                0,
                activation,
                NormPlacement.PRE,
                true,
                decoderLayers,
                embeddings.areShared(),
                tied,
                new TransformerVariant(
                    Positions.RELATIVE,
                    0,
                    0,
                    config.integer("relative_attention_num_buckets").orElse(32),
                    config.integer("relative_attention_max_distance").orElse(128),
                    false,
                    false,
                    true,
                    config.number("layer_norm_epsilon").orElse(1e-6),
                    gated,
                    0,
                    false,
                    config.integer("d_kv", 1),
                    DecoderStart.of(config, "pad_token_id", words, ids),
                    1,
                    false,
                    search)));
  }

  private Activation activation() {
    Optional<String> named = config.string("dense_act_fn");
    String projection = config.string("feed_forward_proj").orElse("relu");
    String function = gated ? projection.substring(GATED.length()) : projection;
    if (named.isPresent()) {
      return Activations.of(config, named);
    }
    // T5 1.1 says gated-gelu and means the one by a hyperbolic tangent
    return projection.equals("gated-gelu")
        ? Activation.GELU_TANH
        : Activations.of(config, Optional.of(function));
  }

  private static void linear(CanonicalTensors out, String to, String from) {
    out.transposed(to + ".W", from + ".weight");
    out.zeros(to + ".bias");
  }

  private static void attention(CanonicalTensors out, String to, String layer, String kind) {
    linear(out, to + ".query", layer + "." + kind + ".q");
    linear(out, to + ".key", layer + "." + kind + ".k");
    linear(out, to + ".value", layer + "." + kind + ".v");
    linear(out, to + ".output", layer + "." + kind + ".o");
    out.vector(to + ".norm.gain", layer + ".layer_norm.weight");
  }

  private void feedForward(CanonicalTensors out, String to, String layer) {
    String from = layer + ".DenseReluDense.";
    linear(out, to + ".inner", from + (gated ? "wi_0" : "wi"));
    if (gated) {
      linear(out, to + ".gate", from + "wi_1");
    }
    linear(out, to + ".outer", from + "wo");
    out.vector(to + ".norm.gain", layer + ".layer_norm.weight");
  }
}
