package io.latimer.operators.nmt.convert.ctranslate2;

import io.latimer.operators.nmt.convert.RandomModels;
import io.latimer.operators.nmt.model.Activation;
import io.latimer.operators.nmt.model.Autoregression;
import io.latimer.operators.nmt.model.BeamRule;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.Positions;
import io.latimer.operators.nmt.model.SearchSettings;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Random;

/** A network in CTranslate2's layout, written by what its specification says. */
public final class Ctranslate2Model {
  private static final int SMALL = 1 << 15;

  private final Network network;
  private final TransformerSettings s;
  private final boolean fused;
  private final ModelBin out;

  private Ctranslate2Model(Network network, int version, boolean fused) {
    this.network = network;
    this.s = network.settings(TransformerSettings.class);
    this.fused = fused;
    this.out = new ModelBin(version, "TransformerSpec", 5);
  }

  /**
   * Writes a network whose words are {@link #words}.
   *
   * @param fused whether attentions have their queries, keys and values in one matrix
   */
  static ModelBin of(Network network, int version, boolean fused) {
    return new Ctranslate2Model(network, version, fused).write();
  }

  /** The bytes of a random network of a few words that can be had in this format. */
  public static byte[] small(Random random, int version) {
    while (true) {
      byte[] bytes = of(network(random), version, random.nextBoolean()).bytes();
      if (bytes.length < SMALL) {
        return bytes;
      }
    }
  }

  /** A random network that can be had in this format. */
  static Network network(Random random) {
    while (true) {
      if (RandomModels.settings(random) instanceof TransformerSettings any
          && any.autoregression() == Autoregression.SELF_ATTENTION
          && (any.normalization() == NormPlacement.PRE
              || any.normalization() == NormPlacement.POST)) {
        return RandomModels.model(firstPosition(any), random);
      }
    }
  }

  private static TransformerSettings firstPosition(TransformerSettings s) {
    TransformerVariant v = s.variant();
    return new TransformerSettings(
        s.sourceVocabulary(),
        s.targetVocabulary(),
        s.width(),
        s.heads(),
        s.encoderLayers(),
        s.decoderLayers(),
        s.encoderFeedForward(),
        s.decoderFeedForward(),
        s.activation(),
        s.autoregression(),
        0,
        s.activation(),
        s.normalization(),
        s.normalizesTop(),
        s.alignmentLayer(),
        s.sharesEmbeddings(),
        s.tiesOutput(),
        new TransformerVariant(
            v.positions(),
            v.positions() == Positions.SINUSOIDAL ? 1 : 0,
            v.positionRows(),
            v.relativeBuckets(),
            v.relativeDistance(),
            v.scalesEmbeddings(),
            v.normalizesEmbeddings(),
            v.rootMeanSquare(),
            v.epsilon(),
            v.gatedFeedForward(),
            0,
            v.scalesAttention(),
            s.headWidth() * s.heads() == s.width() ? 0 : s.headWidth(),
            v.start(),
            v.alignmentHeads(),
            false,
            new SearchSettings(BeamRule.FIRST_ENDED, 0)));
  }

  /** Words in Latimer's order. */
  public static List<String> words(int n) {
    List<String> words = new ArrayList<>(List.of("</s>", "<unk>", "<s>"));
    for (int id = words.size(); id < n; id++) {
      words.add("w" + id);
    }
    return words.subList(0, Math.min(n, words.size()));
  }

  /** Reads a file of few words, whose other files say nothing. */
  public static Network read(Path file) {
    try (Ctranslate2File in = Ctranslate2File.open(file)) {
      return Ctranslate2Converter.of(
              in,
              Ctranslate2Settings.of(in, Optional.empty()),
              words(rows(in, "encoder/embeddings_0/weight")),
              words(rows(in, "decoder/embeddings/weight")))
          .tensors()
          .network();
    }
  }

  private static int rows(Ctranslate2File in, String name) {
    boolean isMatrix = in.names().contains(name) && in.shape(name).length == 2;
    return isMatrix ? (int) Math.min(in.shape(name)[0], SMALL) : 0;
  }

  /** What a model's other files say. */
  static Ctranslate2Settings settings(String origin, TransformerSettings s) {
    int start = s.variant().start();
    return new Ctranslate2Settings(
        origin,
        "<unk>",
        "<s>",
        "</s>",
        Optional.of(start < 0 ? "<s>" : words(s.targetVocabulary()).get(start)),
        false,
        false,
        OptionalDouble.of(s.variant().epsilon()));
  }

  private ModelBin write() {
    TransformerVariant v = s.variant();
    tensor("decoder/embeddings/weight", s.sharesEmbeddings() ? "source" : "target", ".embedding");
    if (s.sharesEmbeddings()) {
      out.alias("encoder/embeddings_0/weight", "decoder/embeddings/weight");
    } else {
      tensor("encoder/embeddings_0/weight", "source", ".embedding");
    }
    if (s.tiesOutput()) {
      out.alias("decoder/projection/weight", "decoder/embeddings/weight");
    } else {
      tensor("decoder/projection/weight", "output", ".Wt");
    }
    tensor("decoder/projection/bias", "output", ".bias");
    for (String side : List.of("encoder", "decoder")) {
      String words = side.equals("encoder") ? "source" : "target";
      out.scalar(side + "/num_heads", ModelBin.INT16, s.heads());
      out.scalar(side + "/pre_norm", ModelBin.INT8, s.normalization() == NormPlacement.PRE ? 1 : 0);
      out.scalar(side + "/activation", ModelBin.INT8, activation(s.activation()));
      if (v.scalesEmbeddings()) {
        out.scalar(side + "/scale_embeddings", ModelBin.FLOAT32, Math.sqrt(s.width()));
      } else {
        out.scalar(side + "/scale_embeddings", ModelBin.INT8, 0);
      }
      if (v.positions() == Positions.LEARNED) {
        tensor(side + "/position_encodings/encodings", words, ".positions");
      }
      if (v.normalizesEmbeddings()) {
        norm(side + "/layernorm_embedding", words);
      }
      if (s.normalizesTop()) {
        norm(side + "/layer_norm", side);
      }
      int layers = side.equals("encoder") ? s.encoderLayers() : s.decoderLayers();
      for (int i = 0; i < layers; i++) {
        layer(side, i);
      }
    }
    out.scalar("decoder/alignment_layer", ModelBin.INT16, s.alignmentLayer() - 1);
    if (v.alignmentHeads() > 1) {
      boolean all = v.alignmentHeads() == s.heads();
      out.scalar("decoder/alignment_heads", ModelBin.INT16, all ? 0 : v.alignmentHeads());
    }
    if (v.start() == TransformerVariant.NO_START) {
      out.scalar("decoder/start_from_zero_embedding", ModelBin.INT8, 1);
    }
    return out;
  }

  private void layer(String side, int i) {
    String to = side + "/layer_" + i;
    String from = side + ".layer" + (i + 1);
    attention(to + "/self_attention", from + ".self", true);
    if (s.variant().positions() == Positions.RELATIVE) {
      String bias = "/self_attention/relative_attention_bias";
      if (i == 0) {
        tensor(to + bias, side, ".positions");
      } else {
        out.alias(to + bias, side + "/layer_0" + bias);
      }
      out.scalar(
          to + "/self_attention/relative_attention_max_distance",
          ModelBin.INT16,
          s.variant().relativeDistance());
    }
    if (side.equals("decoder")) {
      attention(to + "/attention", from + ".cross", false);
    }
    String inner = from + ".feedforward.inner";
    linear(to + "/ffn/linear_0", inner);
    linear(to + "/ffn/linear_1", from + ".feedforward.outer");
    if (s.variant().gatedFeedForward()) {
      linear(to + "/ffn/linear_0_noact", from + ".feedforward.gate");
    }
    norm(to + "/ffn/layer_norm", from + ".feedforward");
  }

  private void attention(String to, String from, boolean self) {
    double scale = s.attentionScale();
    out.scalar(to + "/queries_scale", ModelBin.FLOAT32, scale);
    String query = from + ".query";
    String key = from + ".key";
    String value = from + ".value";
    if (!fused) {
      linear(to + "/linear_0", query);
      linear(to + "/linear_1", key);
      linear(to + "/linear_2", value);
      linear(to + "/linear_3", from + ".output");
    } else if (self) {
      linear(to + "/linear_0", query, key, value);
      linear(to + "/linear_1", from + ".output");
    } else {
      linear(to + "/linear_0", query);
      linear(to + "/linear_1", key, value);
      linear(to + "/linear_2", from + ".output");
    }
    norm(to + "/layer_norm", from);
  }

  /** One or more layers with their outputs as rows, one after the other. */
  private void linear(String to, String... from) {
    Tensor first = network.tensor(from[0] + ".W");
    int rows = first.cols();
    float[] weights = new float[from.length * rows * first.rows()];
    float[] bias = new float[from.length * rows];
    for (int part = 0; part < from.length; part++) {
      Tensor matrix = network.tensor(from[part] + ".W");
      for (int i = 0; i < rows; i++) {
        int row = part * rows + i;
        bias[row] = network.vector(from[part] + ".bias")[i];
        for (int j = 0; j < first.rows(); j++) {
          weights[row * first.rows() + j] = matrix.get(j, i);
        }
      }
    }
    out.add(to + "/weight", ModelBin.FLOAT32, weights, from.length * rows, first.rows());
    out.add(to + "/bias", ModelBin.FLOAT32, bias, bias.length);
  }

  private void norm(String to, String from) {
    tensor(to + "/gamma", from, ".norm.gain");
    if (!s.variant().rootMeanSquare()) {
      tensor(to + "/beta", from, ".norm.shift");
    }
  }

  private void tensor(String to, String prefix, String name) {
    Tensor tensor = network.tensor(prefix + name);
    float[] values = tensor.floats();
    boolean vector = name.startsWith(".norm") || name.equals(".bias");
    int[] shape = vector ? new int[] {values.length} : new int[] {tensor.rows(), tensor.cols()};
    out.add(to, ModelBin.FLOAT32, values, shape);
  }

  private static int activation(Activation activation) {
    return switch (activation) {
      case RELU -> 0;
      case GELU_TANH -> 1;
      case SWISH -> 2;
      case GELU_ERF -> 3;
      case GELU -> 4;
    };
  }
}
