package io.latimer.operators.nmt.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.nmt.model.Activation;
import io.latimer.operators.nmt.model.Autoregression;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.SinusoidalPositions;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import io.latimer.operators.testing.SharedData;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every variant of Marian's transformers becomes one canonical form; wrong ones are refused. */
class TransformerConverterTest {
  private static final Map<String, Numpy> FILES = new HashMap<>();

  private static ChangedWeights weights(String folder) {
    return new ChangedWeights(
        FILES.computeIfAbsent(
            folder, f -> new Numpy(SharedData.require("models/" + f + "/model.npz"))));
  }

  /** Random weights of the sizes of the smallest golden model. */
  private static ChangedWeights tiny(NormPlacement normalization) {
    boolean post = normalization == NormPlacement.POST;
    return new ChangedWeights(
        new MarianTransformer(
            new TransformerSettings(
                653,
                653,
                32,
                4,
                2,
                2,
                64,
                64,
                Activation.SWISH,
                Autoregression.SELF_ATTENTION,
                0,
                Activation.SWISH,
                normalization,
                !post,
                2,
                true,
                true,
                TransformerVariant.MARIAN),
            new Random(2)));
  }

  static ChangedWeights tiny() {
    return tiny(NormPlacement.POST);
  }

  static Network load(WeightSource source) {
    return NetworkReader.read(source, Optional.empty());
  }

  @ParameterizedTest
  @CsvSource({
    // folder, width, heads, layers, inner width, activation, decoder, normalization, top
    "m30k-ende-transformer, 128, 4, 4, 256, SWISH, SELF_ATTENTION, POST, false",
    "tatoeba-ende-transformer, 256, 8, 4, 1024, SWISH, SELF_ATTENTION, POST, false",
    "tatoeba-ende-live, 320, 5, 4, 1280, SWISH, SELF_ATTENTION, POST, false",
    "marian-tiny/transformer, 32, 4, 2, 64, SWISH, SELF_ATTENTION, POST, false",
    "marian-tiny/transformer-prenorm, 32, 4, 2, 64, RELU, SELF_ATTENTION, PRE, true",
    "marian-tiny/transformer-ssru, 32, 4, 2, 64, RELU, SSRU, POST, false",
  })
  void readsEveryVariant(
      String folder,
      int width,
      int heads,
      int layers,
      int inner,
      Activation activation,
      Autoregression autoregression,
      NormPlacement normalization,
      boolean top) {
    Network model = load(weights(folder));
    TransformerSettings s = model.settings(TransformerSettings.class);
    assertThat(s.width()).isEqualTo(width);
    assertThat(s.heads()).isEqualTo(heads);
    assertThat(s.headWidth()).isEqualTo(width / heads);
    assertThat(s.encoderLayers()).isEqualTo(layers);
    assertThat(s.decoderLayers()).isEqualTo(layers);
    assertThat(s.encoderFeedForward()).isEqualTo(inner);
    assertThat(s.decoderFeedForward()).isEqualTo(inner);
    assertThat(s.activation()).isEqualTo(activation);
    assertThat(s.autoregression()).isEqualTo(autoregression);
    assertThat(s.averageFeedForward()).isZero();
    assertThat(s.normalization()).isEqualTo(normalization);
    assertThat(s.normalizesTop()).isEqualTo(top);
    assertThat(s.alignmentLayer()).isEqualTo(layers);
    assertThat(s.sharesEmbeddings()).isTrue();
    assertThat(s.tiesOutput()).isTrue();
    assertThat(model.tensors().keySet()).containsExactlyElementsOf(s.shapes().keySet());
    assertThat(model.sourceVocabulary()).isEqualTo(s.sourceVocabulary());
    assertThat(model.output()).isSameAs(model.tensor("source.embedding"));
  }

  /** Of every kind that there is, whatever its sizes. */
  @Test
  void whatIsWrittenInMariansNamesIsReadBack() {
    Random random = new Random(8);
    Set<List<Object>> kinds = new HashSet<>();
    for (int i = 0; i < 300; i++) {
      TransformerSettings s = RandomModels.transformer(random);
      MarianTransformer written = new MarianTransformer(s, random);
      Network read = load(written);
      assertThat(read.settings()).isEqualTo(s);
      written
          .expected
          .tensors()
          .forEach(
              (name, tensor) ->
                  assertThat(read.tensor(name).floats()).as(name).isEqualTo(tensor.floats()));
      assertThat(read.tensors().keySet())
          .containsExactlyElementsOf(written.expected.tensors().keySet());
      kinds.add(
          List.of(s.autoregression(), s.normalization(), s.sharesEmbeddings(), s.tiesOutput()));
    }
    assertThat(kinds).hasSize(3 * 3 * 2 * 2);
  }

  static Stream<TransformerSettings> someKinds() {
    Random random = new Random(9);
    return Stream.generate(() -> RandomModels.transformer(random)).limit(6);
  }

  @ParameterizedTest
  @MethodSource("someKinds")
  void aMissingTensorIsNamed(TransformerSettings settings) {
    MarianTransformer whole = new MarianTransformer(settings, new Random(1));
    for (String name : whole.names()) {
      assertThatThrownBy(() -> load(new ChangedWeights(whole).remove(name)), name)
          .isInstanceOf(ModelFormatException.class)
          .hasMessageStartingWith("model.npz: tensor ")
          .hasMessageContaining(" is missing, expected ");
    }
  }

  @Test
  void aMisshapenTensorIsNamed() {
    assertThatThrownBy(() -> load(tiny().put("encoder_l2_self_Wk", 32, 31)))
        .hasMessage("model.npz: tensor encoder_l2_self_Wk: expected 32 x 32, found 32 x 31");
    assertThatThrownBy(() -> load(tiny().put("decoder_l1_ffn_W1", 31, 64)))
        .hasMessage(
            "model.npz: tensor decoder_l1_ffn_W1: expected 32 x inner width, found 31 x 64");
    assertThatThrownBy(() -> load(tiny().put("decoder_l2_ffn_W1", 32, 48)))
        .hasMessage("model.npz: tensor decoder_l2_ffn_W1: expected 32 x 64, found 32 x 48");
    assertThatThrownBy(() -> load(tiny().put("decoder_ff_logit_out_b", 1, 652)))
        .hasMessage("model.npz: tensor decoder_ff_logit_out_b: expected 1 x 653, found 1 x 652");
    assertThatThrownBy(() -> load(tiny().set("decoder_l2_context_Wo", 33, Float.NaN)))
        .hasMessageContaining("decoder_l2_context_Wo: expected finite weights, found NaN in row 1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "transformer-heads: 4 | transformer-heads: 5 | expected a divisor of the width 32, found 5",
        "transformer-heads: 4 | transformer-heads: 0 | expected a divisor of the width 32, found 0",
        "transformer-heads: 4 | transformer-heads: four | transformer-heads: expected a whole number",
        "dim-emb: 32 | dim-emb: 64 | dim-emb is 64, the tensors show 32",
        "enc-depth: 2 | enc-depth: 1 | enc-depth is 1, the tensors show 2",
        "enc-depth: 2 | enc-depth: 3 | tensor encoder_l3_ffn_W1 is missing",
        "dec-depth: 2 | dec-depth: 6 | tensor decoder_l3_ffn_W1 is missing",
        "transformer-dim-ffn: 64 | transformer-dim-ffn: 65 | transformer-dim-ffn is 65",
        "decoder-dim-ffn: 0 | decoder-dim-ffn: 60 | decoder-dim-ffn is 60, the tensors show 64",
        "ffn-depth: 2 | ffn-depth: 10 | transformer-ffn-depth is 10, but only 1 to 9 can be read",
        "ffn-depth: 2 | ffn-depth: 0 | transformer-ffn-depth is 0, but only 1 to 9 can be read",
        "ffn-depth: 2 | ffn-depth: 1 | tensor encoder_l1_ffn_W1: expected 32 x 32, found 32 x 64",
        "ffn-depth: 2 | ffn-depth: 3 | tensor encoder_l1_ffn_W2: expected 64 x 64, found 64 x 32",
        "decoder-ffn-depth: 0 | decoder-ffn-depth: 3 | is 3, but only transformer-ffn-depth, 2, can",
        "activation: swish | activation: tanh | transformer-ffn-activation is \"tanh\"",
        "no-projection: false | no-projection: true | has transformer-no-projection",
        "alibi-shift: false | alibi-shift: true | has transformer-alibi-shift",
        "train-position-embeddings: false | train-position-embeddings: true | tensor Wpos is missing, expected positions x 32",
        "attention-mask: default | attention-mask: alibi | transformer-attention-mask",
        "postprocess: dan | postprocess: dhn | transformer-postprocess",
        "preprocess: \"\" | preprocess: n | transformer-preprocess",
        "postprocess-top: \"\" | postprocess-top: an | transformer-postprocess-top",
        "postprocess-top: \"\" | postprocess-top: n | tensor encoder_top_ln_scale is missing",
        "postprocess-emb: d | postprocess-emb: dn | tensor encoder_emb_ln_scale_pre is missing",
        "postprocess-emb: d | postprocess-emb: da | is \"a\", but only \"d\" and \"n\" can be read",
        "autoreg: self-attention | autoreg: rnn | has cells \"gru\", but only ssru can be read",
        "autoreg: self-attention | autoreg: average-attention | tensor decoder_l1_aan_W1 is missing",
        "autoreg: self-attention | autoreg: magic | transformer-decoder-autoreg is \"magic\"",
        "alignment-layer: last | alignment-layer: 3 | expected last or 1 to 2, found 3",
        "right-left: false | right-left: true | from right to left",
        "tied-embeddings-all: true | tied-embeddings-all: false | it is not tied",
        "type: transformer | type: bert | \"bert\", but only amun, nematus, s2s and transformer can",
        "type: transformer | type: amun | stacked layers",
      })
  void refusesWhatTheTensorsDoNotShowOrNobodyHereCanCompute(String from, String to, String why) {
    assertThatThrownBy(() -> load(tiny().settings(from, to)))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining(why);
  }

  @Test
  void theFileIsNamedWhenItsWidthsCannotBe() {
    assertThatThrownBy(
            () ->
                load(
                    new ChangedWeights(
                            new MarianTransformer(
                                RandomModels.transformer(new Random(12)), new Random(3)))
                        .settings("transformer-heads: ", "transformer-heads: 99 # ")))
        .hasMessageStartingWith("model.npz, special:model.yml: transformer-heads: expected");
  }

  @Test
  void vocabulariesOfTheSettingsMustBeThoseOfTheTensors() {
    ChangedWeights changed = tiny();
    changed.settings("  - 653\n  - 653", "  - 653\n  - 654");
    assertThatThrownBy(() -> load(changed))
        .hasMessageEndingWith("dim-vocabs (target) is 654, the tensors show 653");
  }

  @Test
  void refusesAModelWithoutSettings() {
    assertThatThrownBy(() -> load(tiny().withoutSettings()))
        .hasMessage(
            "model.npz is a transformer without special:model.yml: expected the settings that"
                + " Marian writes into its models, because the tensors do not show how many heads there"
                + " are");
  }

  @Test
  void refusesTensorsThatNobodyTook() {
    assertThatThrownBy(() -> load(tiny().put("Wpos", 9, 32)))
        .hasMessageContaining("tensor Wpos belongs to an unsupported variant");
    assertThatThrownBy(() -> load(tiny().put("decoder_l1_self_gamma", 1, 32)))
        .hasMessageContaining("tensor decoder_l1_self_gamma belongs to an unsupported variant");
    assertThat(load(tiny().put("encoder_l1_self_Wq_QuantMultA", 1, 1))).isNotNull();
    assertThat(load(tiny().put("adam_mt", 1, 1))).isNotNull();
  }

  @Test
  void refusesAmunsCellsForATransformer() {
    AmunCells cells = AmunCells.parse("config.yml", "gru", null, null, null);
    assertThatThrownBy(() -> NetworkReader.read(tiny(), Optional.of(cells)))
        .hasMessageContaining("is a transformer model, but Amun's configuration names recurrent");
  }

  @ParameterizedTest
  @CsvSource({
    "v1.12.43 c9f287db, PRE",
    "v1.10.28, PRE",
    "v1.11.0, PRE",
    "v2.0.0, PRE",
    "v1.10.27 abc, PRE_QUERIES",
    "v1.9.56, PRE_QUERIES",
    "v1.7.6, PRE_QUERIES",
    "unknown, PRE_QUERIES"
  })
  void theVersionSaysWhetherKeysAreNormalized(String version, NormPlacement expected) {
    ChangedWeights changed = tiny(NormPlacement.PRE);
    changed.settings("version: v1.12.43", "version: " + version + " # ");
    assertThat(load(changed).settings(TransformerSettings.class).normalization())
        .isEqualTo(expected);
  }

  @Test
  void readsOutputsThatAreNotTied() {
    ChangedWeights separate = tiny();
    Tensor embedding = separate.floats("Wemb");
    separate.remove("Wemb").put("encoder_Wemb", embedding).put("decoder_Wemb", 653, 32);
    separate.settings("tied-embeddings-all: true", "tied-embeddings-all: false");
    ChangedWeights legacy = separate.put("decoder_ff_logit_out_W", 32, 653);
    legacy.set("decoder_ff_logit_out_W", 653 + 7, 2.5f);
    Network model = load(legacy);
    assertThat(model.settings().sharesEmbeddings()).isFalse();
    assertThat(model.settings().tiesOutput()).isFalse();
    assertThat(model.output().get(7, 1)).isEqualTo(2.5f);

    legacy.settings("tied-embeddings: false", "tied-embeddings: true");
    assertThatThrownBy(() -> load(legacy)).hasMessageContaining("an output matrix of its own");
    Network tied = load(legacy.remove("decoder_ff_logit_out_W"));
    assertThat(tied.settings().tiesOutput()).isTrue();
    assertThat(tied.output()).isSameAs(tied.tensor("target.embedding"));
  }

  @Test
  void tiedLayersAreReadAsManyTimesAsTheyAreUsed() {
    ChangedWeights changed = tiny();
    changed.rename(n -> n); // all of layer 2 of the decoder goes, and layer 1 stands for three
    for (String name : tiny().names()) {
      if (name.startsWith("decoder_l2_")) {
        changed.remove(name);
      }
    }
    changed.settings("transformer-tied-layers:\n  []", "transformer-tied-layers: [1, 1, 1]");
    changed.settings("dec-depth: 2", "dec-depth: 3");
    Network model = load(changed);
    assertThat(model.settings(TransformerSettings.class).decoderLayers()).isEqualTo(3);
    assertThat(model.tensor("decoder.layer3.cross.key.W").floats())
        .isEqualTo(model.tensor("decoder.layer1.cross.key.W").floats());
    assertThatThrownBy(() -> load(changed.settings("[1, 1, 1]", "[1, 1, 2]")))
        .hasMessageContaining("tensor decoder_l2_self_Wq is missing");
    assertThatThrownBy(() -> load(changed.settings("[1, 1, 2]", "[1, 1]")))
        .hasMessageContaining("dec-depth is 3, the tensors show 2");
    assertThatThrownBy(() -> load(changed.settings("[1, 1]", "[1, x]")))
        .hasMessageContaining("transformer-tied-layers: expected a list of whole numbers");
    assertThatThrownBy(() -> load(changed.settings("[1, x]", "[1" + ", 1".repeat(999) + "]")))
        .hasMessageContaining("decoderLayers must be from 1 to 64, found 1000");
    String many = ", 1".repeat(300_000);
    assertThatThrownBy(() -> load(changed.settings("[1" + ", 1".repeat(999), "[1" + many)))
        .hasMessageContaining("it has more than 20000 values");
  }

  /** A transformer of average attention in Marian's names. */
  @ParameterizedTest
  @EnumSource(NormPlacement.class)
  void readsAverageAttention(NormPlacement normalization) {
    ChangedWeights changed =
        tiny(normalization == NormPlacement.POST ? NormPlacement.POST : NormPlacement.PRE);
    for (String name : tiny().names()) {
      if (name.matches("decoder_l\\d_self_[Wb].")) {
        changed.remove(name);
      }
    }
    Random random = new Random(3);
    for (int layer = 1; layer <= 2; layer++) {
      String p = "decoder_l" + layer + "_aan_";
      put(changed, random, p + "W1", 32, 40);
      put(changed, random, p + "b1", 1, 40);
      put(changed, random, p + "W2", 40, 32);
      put(changed, random, p + "b2", 1, 32);
      put(changed, random, p + "Wi", 32, 32);
      put(changed, random, p + "bi", 1, 32);
      put(changed, random, p + "Wf", 32, 32);
      put(changed, random, p + "bf", 1, 32);
    }
    changed.rename(n -> n.replaceFirst("(decoder_l\\d)_self_Wo_ln", "$1_aan_ffn_ln"));
    changed.settings("autoreg: self-attention", "autoreg: average-attention");
    changed.settings("dim-aan: 2048", "dim-aan: 40");
    if (normalization == NormPlacement.PRE_QUERIES) {
      changed.settings("version: v1.12", "version: v1.9");
    }
    TransformerSettings s = load(changed).settings(TransformerSettings.class);
    assertThat(s.autoregression()).isEqualTo(Autoregression.AVERAGE_ATTENTION);
    assertThat(s.averageFeedForward()).isEqualTo(40);
    assertThat(s.averageActivation()).isEqualTo(Activation.SWISH);
    assertThat(s.normalization()).isEqualTo(normalization);
    for (int layer = 1; layer <= 2; layer++) {
      changed.put("decoder_l" + layer + "_aan_W1", 32, 32);
      changed.put("decoder_l" + layer + "_aan_b1", 1, 32);
      changed.remove("decoder_l" + layer + "_aan_W2").remove("decoder_l" + layer + "_aan_b2");
    }
    assertThatThrownBy(() -> load(changed))
        .hasMessageContaining("decoder_l1_aan_W1 belongs to average attention of the model's own")
        .hasMessageContaining("but only average attention with two layers can be read");
    assertThatThrownBy(() -> load(changed.settings("aan-nogate: false", "aan-nogate: true")))
        .hasMessageContaining(
            "has transformer-aan-nogate, but only transformers without can be read");
  }

  static void put(ChangedWeights weights, Random random, String name, int rows, int cols) {
    float[] values = new float[rows * cols];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) random.nextGaussian();
    }
    weights.put(name, Tensor.of(name, rows, cols, values));
  }

  @Test
  void settingsAreCheckedWhoeverMakesThem() {
    refused("heads must divide the width 6, found 4", 6, 4, 1, 1, 8);
    refused("width must be from 4 to 16777216, found 2", 2, 1, 1, 1, 8);
    refused("width must be even", 7, 1, 1, 1, 8);
    refused("encoderLayers must be from 1 to 64, found 0", 8, 2, 0, 1, 8);
    refused("decoderLayers must be from 1 to 64, found 65", 8, 2, 1, 65, 8);
    refused("encoderFeedForward must be from 1", 8, 2, 1, 1, 0);
    assertThatThrownBy(
            () ->
                new TransformerSettings(
                    5,
                    6,
                    8,
                    2,
                    1,
                    1,
                    8,
                    8,
                    Activation.RELU,
                    Autoregression.SSRU,
                    3,
                    Activation.RELU,
                    NormPlacement.POST,
                    false,
                    1,
                    false,
                    false,
                    TransformerVariant.MARIAN))
        .hasMessage("model setting averageFeedForward must be from 0 to 0, found 3");
  }

  private static void refused(
      String why, int width, int heads, int encoder, int decoder, int inner) {
    assertThatThrownBy(
            () ->
                new TransformerSettings(
                    5,
                    6,
                    width,
                    heads,
                    encoder,
                    decoder,
                    inner,
                    inner,
                    Activation.RELU,
                    Autoregression.SELF_ATTENTION,
                    0,
                    Activation.RELU,
                    NormPlacement.POST,
                    false,
                    1,
                    false,
                    false,
                    TransformerVariant.MARIAN))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining(why);
  }

  @Test
  void canonicalTensorsMustBeExactlyThoseOfTheSettings() {
    Network model = load(tiny());
    Map<String, Tensor> missing = new LinkedHashMap<>(model.tensors());
    missing.remove("decoder.layer2.self.key.W");
    assertThatThrownBy(() -> Network.of(model.settings(), missing))
        .hasMessage("tensor decoder.layer2.self.key.W is missing, expected 32 x 32");
    Map<String, Tensor> more = new LinkedHashMap<>(model.tensors());
    more.put("encoder.norm.gain", Tensor.of("encoder.norm.gain", 1, 32, new float[32]));
    assertThatThrownBy(() -> Network.of(model.settings(), more))
        .hasMessage("tensor encoder.norm.gain does not belong to this model");
  }

  @Test
  void positionsAreSinesThenCosines() {
    float[] table = SinusoidalPositions.table(0, 6, 4);
    assertThat(table).hasSize(24);
    assertThat(table).startsWith(0, 0, 1, 1);
    assertThat((double) table[5 * 4]).isCloseTo(Math.sin(5), within(1e-7));
    assertThat((double) table[5 * 4 + 1]).isCloseTo(Math.sin(5e-4), within(1e-7));
    assertThat((double) table[5 * 4 + 2]).isCloseTo(Math.cos(5), within(1e-7));
    assertThat(SinusoidalPositions.table(3, 6, 4))
        .containsExactly(java.util.Arrays.copyOfRange(table, 12, 24));
  }
}
