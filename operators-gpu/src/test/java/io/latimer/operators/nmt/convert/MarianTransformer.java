package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.Autoregression;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.nmt.model.TransformerSettings;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** A random transformer as Marian would write it: its names, and its settings beside them. */
public final class MarianTransformer implements WeightSource {
  private final Map<String, Tensor> tensors = new LinkedHashMap<>();
  private final String settings;

  /** What must come out when this is read. */
  final Network expected;

  public MarianTransformer(TransformerSettings s, Random random) {
    expected = RandomModels.model(s, random);
    expected.tensors().forEach((name, tensor) -> put(marian(s, name), tensor));
    settings = settings(s);
  }

  private void put(String name, Tensor t) {
    tensors.put(name, new Tensor(name, t.rows(), t.cols(), t.numbers()));
  }

  private static String marian(TransformerSettings s, String name) {
    switch (name) {
      case "source.embedding" -> {
        return s.sharesEmbeddings() ? "Wemb" : "encoder_Wemb";
      }
      case "target.embedding" -> {
        return "decoder_Wemb";
      }
      case "output.Wt" -> {
        return "decoder_ff_logit_out_Wt";
      }
      case "output.bias" -> {
        return "decoder_ff_logit_out_b";
      }
      default -> {}
    }
    String last = name.substring(name.lastIndexOf('.') + 1);
    String[] parts = name.split("\\.", -1);
    String side = parts[0];
    if (parts.length == 3) { // encoder.norm.gain
      return side + "_top_ln_" + (last.equals("gain") ? "scale" : "bias");
    }
    String block =
        side
            + "_l"
            + parts[1].substring("layer".length())
            + "_"
            + switch (parts[2]) {
              case "self" -> "self";
              case "cross" -> "context";
              case "feedforward" -> "ffn";
              case "average" -> "aan";
              default -> "rnn";
            };
    if (parts[3].equals("norm")) {
      boolean post = s.normalization() == NormPlacement.POST;
      String before =
          switch (parts[2]) {
            case "self", "cross" -> "_Wo_ln_";
            case "ssru" -> post ? "_ffn_ln_" : "_ln_";
            default -> "_ffn_ln_";
          };
      return block + before + (last.equals("gain") ? "scale" : "bias") + (post ? "" : "_pre");
    }
    String suffix =
        switch (parts[3]) {
          case "query" -> "q";
          case "key" -> "k";
          case "value" -> "v";
          case "output" -> "o";
          case "inner" -> "1";
          case "middle1" -> "2";
          case "middle2" -> "3";
          case "outer" -> parts[2].equals("average") ? "2" : "" + depth(s);
          case "input" -> "i";
          case "forget" -> "f";
          default -> "";
        };
    return block + (last.equals("W") ? "_W" : "_b") + suffix;
  }

  /** Layers of a feed-forward network. */
  private static int depth(TransformerSettings s) {
    return 2 + s.variant().middleLayers();
  }

  private static String settings(TransformerSettings s) {
    boolean post = s.normalization() == NormPlacement.POST;
    boolean all = s.sharesEmbeddings() && s.tiesOutput();
    return String.join(
        "\n",
        "type: transformer",
        "version: " + (s.normalization() == NormPlacement.PRE_QUERIES ? "v1.9.0" : "v1.12.43 x"),
        "dim-emb: " + s.width(),
        "dim-vocabs:",
        "  - " + s.sourceVocabulary(),
        "  - " + s.targetVocabulary(),
        "enc-depth: " + s.encoderLayers(),
        "dec-depth: " + s.decoderLayers(),
        "dec-cell: " + (s.autoregression() == Autoregression.SSRU ? "ssru" : "gru"),
        "tied-embeddings-all: " + all,
        "tied-embeddings-src: " + (s.sharesEmbeddings() && !all),
        "tied-embeddings: " + (s.tiesOutput() && !all),
        "transformer-heads: " + s.heads(),
        "transformer-dim-ffn: " + s.encoderFeedForward(),
        "transformer-decoder-dim-ffn: "
            + (s.decoderFeedForward() == s.encoderFeedForward() ? 0 : s.decoderFeedForward()),
        "transformer-ffn-activation: " + s.activation().name().toLowerCase(Locale.ROOT),
        "transformer-decoder-autoreg: "
            + switch (s.autoregression()) {
              case SELF_ATTENTION -> "self-attention";
              case AVERAGE_ATTENTION -> "average-attention";
              case SSRU -> "rnn";
            },
        "transformer-dim-aan: " + (s.averageFeedForward() == 0 ? 2048 : s.averageFeedForward()),
        "transformer-aan-activation: " + s.averageActivation().name().toLowerCase(Locale.ROOT),
        "transformer-preprocess: " + (post ? "\"\"" : "n"),
        "transformer-postprocess: " + (post ? "dan" : "da"),
        "transformer-postprocess-top: " + (s.normalizesTop() ? "n" : "\"\""),
        "transformer-guided-alignment-layer: "
            + (s.alignmentLayer() == s.decoderLayers() ? "last" : "" + s.alignmentLayer()),
        "latimer-alignment-heads: " + s.variant().alignmentHeads(),
        "latimer-aligns-next: " + s.variant().alignsNext(),
        "transformer-aan-depth: 2",
        "transformer-aan-nogate: false",
        "transformer-alibi-shift: false",
        "transformer-attention-mask: default",
        "transformer-decoder-ffn-depth: 0",
        "transformer-ffn-depth: " + depth(s),
        "transformer-no-projection: false",
        "transformer-postprocess-emb: d",
        "transformer-tied-layers:\n  []",
        "transformer-train-position-embeddings: false",
        "right-left: false",
        "ulr: false",
        "");
  }

  /** The bytes of a .npz file, the settings padded as Marian does. */
  public byte[] npz() {
    Npz npz = new Npz();
    tensors.forEach(
        (name, t) -> {
          float[] values = t.floats();
          npz.floats(name, "(" + t.rows() + ", " + t.cols() + ")", values);
        });
    byte[] text = settings.getBytes(StandardCharsets.UTF_8);
    byte[] padded = Arrays.copyOf(text, (text.length + 256) / 256 * 256);
    npz.add(MarianSettings.ENTRY, Npz.npy("|i1", "(" + padded.length + ",)", padded));
    return npz.bytes();
  }

  @Override
  public String origin() {
    return "model.npz";
  }

  @Override
  public Set<String> names() {
    return tensors.keySet();
  }

  @Override
  public Tensor floats(String name) {
    return tensors.get(name);
  }

  @Override
  public Optional<String> text(String name) {
    return name.equals(MarianSettings.ENTRY) ? Optional.of(settings) : Optional.empty();
  }
}
