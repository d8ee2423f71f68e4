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
import java.util.List;
import java.util.regex.Pattern;

/**
 * Reads the networks of Hugging Face's {@code MarianMTModel}, {@code
 * M2M100ForConditionalGeneration} (also NLLB) and {@code MBartForConditionalGeneration}, which
 * share their tensors' names.
 *
 * <p>Source: huggingface/transformers, modeling_marian.py, modeling_m2m_100.py and
 * modeling_mbart.py. Models of the Marian kind are read as Marian computes them, because they were
 * trained with it: its positions and its epsilon, and forbidden words outside the softmax.
 */
final class BartConverter {
  /** Trained positions of these models have two rows more, which no word uses. */
  private static final int POSITION_OFFSET = 2;

  private static final double TORCH_EPSILON = 1e-5;

  /** Takes a word out of the softmax, as minus infinity would, but is a finite weight. */
  private static final float FORBIDDEN = -1e9f;

  private static final Pattern UNREAD =
      Pattern.compile(
          "lm_head\\.weight|model\\.shared\\.weight|model\\.(en|de)coder\\.embed_tokens\\.weight"
              + "|model\\.(en|de)coder\\.embed_positions\\.weights?");

  private final ShapedWeights in;
  private final JsonSettings config;
  private final Family family;
  private final IdOrder ids;
  private final SearchSettings search;
  private final Embeddings embeddings;

  private BartConverter(
      ShapedWeights in, JsonSettings config, Family family, IdOrder ids, SearchSettings search) {
    this.in = in;
    this.config = config;
    this.family = family;
    this.ids = ids;
    this.search = search;
    this.embeddings = Embeddings.of(in, "model.", config.flag("tie_word_embeddings", true));
  }

  /** The network of a folder's configuration and weights. */
  static TensorSource convert(
      ShapedWeights in,
      JsonSettings config,
      Family family,
      IdOrder ids,
      SearchSettings search,
      List<Integer> forbidden) {
    return new BartConverter(in, config, family, ids, search).convert(forbidden);
  }

  private boolean isMarian() {
    return family == Family.MARIAN;
  }

  private TensorSource convert(List<Integer> forbidden) {
    TransformerSettings s = settings();
    CanonicalTensors out = new CanonicalTensors(in, s);
    out.rows("source.embedding", embeddings.source(), ids.original());
    if (!embeddings.areShared()) {
      out.rows("target.embedding", embeddings.target(), ids.original());
    }
    if (s.variant().positions() == Positions.LEARNED) {
      int[] rows = new int[s.variant().positionRows()];
      for (int i = 0; i < rows.length; i++) {
        rows[i] = i + POSITION_OFFSET;
      }
      out.rows("source.positions", "model.encoder.embed_positions.weight", rows);
      out.rows("target.positions", "model.decoder.embed_positions.weight", rows);
    }
    if (s.variant().normalizesEmbeddings()) {
      norm(out, "source", "model.encoder.layernorm_embedding");
      norm(out, "target", "model.decoder.layernorm_embedding");
    }
    for (int i = 0; i < s.encoderLayers(); i++) {
      String from = "model.encoder.layers." + i;
      String to = "encoder.layer" + (i + 1);
      attention(out, to + ".self", from + ".self_attn");
      feedForward(out, to + ".feedforward", from);
    }
    for (int i = 0; i < s.decoderLayers(); i++) {
      String from = "model.decoder.layers." + i;
      String to = "decoder.layer" + (i + 1);
      attention(out, to + ".self", from + ".self_attn");
      attention(out, to + ".cross", from + ".encoder_attn");
      feedForward(out, to + ".feedforward", from);
    }
    if (s.normalizesTop()) {
      norm(out, "encoder", "model.encoder.layer_norm");
      norm(out, "decoder", "model.decoder.layer_norm");
    }
    if (!s.tiesOutput()) {
      out.rows("output.Wt", "lm_head.weight", ids.original());
    }
    float[] bias =
        out.has("final_logits_bias")
            ? out.vector("final_logits_bias", s.targetVocabulary())
            : new float[s.targetVocabulary()];
    for (int id : forbidden) {
      if (id >= 0 && id < bias.length) {
        bias[id] = FORBIDDEN;
      }
    }
    out.set("output.bias", ids.ordered(bias));
    out.complete(UNREAD);
    return out;
  }

  private TransformerSettings settings() {
    int words = config.integer("vocab_size", 2);
    int heads = config.integer("encoder_attention_heads", 1);
    if (config.integer("decoder_attention_heads", 1) != heads) {
      throw config.refuse(
          "encoder_attention_heads and decoder_attention_heads differ, but only equal numbers");
    }
    requireSupported(words);
    boolean learned = family == Family.MBART;
    boolean marian = isMarian();
    Activation activation = Activations.of(config, config.string("activation_function"));
    int decoderLayers = config.integer("decoder_layers", 1);
    return config.within(
        () ->
            new TransformerSettings(
                words,
                words,
                config.integer("d_model", 4),
                heads,
                config.integer("encoder_layers", 1),
                decoderLayers,
                config.integer("encoder_ffn_dim", 1),
                config.integer("decoder_ffn_dim", 1),
                activation,
                Autoregression.SELF_ATTENTION,
                0,
                activation,
                marian ? NormPlacement.POST : NormPlacement.PRE,
                !marian,
                decoderLayers,
                embeddings.areShared(),
                config.flag("tie_word_embeddings", true),
                new TransformerVariant(
                    learned ? Positions.LEARNED : Positions.SINUSOIDAL,
                    family == Family.M2M100 ? POSITION_OFFSET : 0,
                    learned ? config.integer("max_position_embeddings", 1) : 0,
                    0,
                    0,
                    config.flag("scale_embedding"),
                    learned,
                    false,
                    marian ? TransformerVariant.MARIAN.epsilon() : TORCH_EPSILON,
                    false,
                    0,
                    true,
                    0,
                    DecoderStart.of(config, "bos_token_id", words, ids),
                    1,
                    false,
                    search)));
  }

  private void requireSupported(int words) {
    if (!isMarian()) {
      return;
    }
    if (!config.flag("share_encoder_decoder_embeddings", true)
        || config.integer("decoder_vocab_size").orElse(words) != words) {
      throw config.refuse(
          "encoder and decoder have vocabularies of their own, but only shared ones");
    }
    if (!config.flag("static_position_embeddings", true)) {
      throw config.refuse("positions are trained, but only sinusoidal ones");
    }
    if (config.flag("normalize_embedding")) {
      throw config.refuse("embeddings are normalized, but only plain ones");
    }
  }

  private static void norm(CanonicalTensors out, String to, String from) {
    out.vector(to + ".norm.gain", from + ".weight");
    out.vector(to + ".norm.shift", from + ".bias");
  }

  private static void linear(CanonicalTensors out, String to, String from) {
    out.transposed(to + ".W", from + ".weight");
    out.vector(to + ".bias", from + ".bias");
  }

  private static void attention(CanonicalTensors out, String to, String from) {
    linear(out, to + ".query", from + ".q_proj");
    linear(out, to + ".key", from + ".k_proj");
    linear(out, to + ".value", from + ".v_proj");
    linear(out, to + ".output", from + ".out_proj");
    norm(out, to, from + "_layer_norm");
  }

  private static void feedForward(CanonicalTensors out, String to, String from) {
    linear(out, to + ".inner", from + ".fc1");
    linear(out, to + ".outer", from + ".fc2");
    norm(out, to, from + ".final_layer_norm");
  }
}
