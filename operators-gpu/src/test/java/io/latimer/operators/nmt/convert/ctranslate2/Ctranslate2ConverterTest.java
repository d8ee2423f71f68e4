package io.latimer.operators.nmt.convert.ctranslate2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.Result;
import io.latimer.operators.nmt.convert.JsonSettings;
import io.latimer.operators.nmt.convert.huggingface.HuggingFaceGoldenTest;
import io.latimer.operators.nmt.cpu.DecodeCpu;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeInput;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.model.BeamRule;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.Positions;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import io.latimer.operators.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Networks in CTranslate2's layout are those that they were written from. */
final class Ctranslate2ConverterTest {
  private static final double SCORE = 1e-3;

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "ct2-aren-transliteration, \u0622 \u062a \u0632 \u0645 \u0648 \u0646, a t z m o n, -1.0617",
    "ct2-aren-transliteration, \u0622 \u062a \u0634 \u064a \u0633 \u0648 \u0646,"
        + " a c h i s o n, -1.1136",
    "ct2-aren-transliteration-i8, \u0622 \u062a \u0632 \u0645 \u0648 \u0646, a t z m o n, -1.0877",
    "ct2-aren-transliteration-i8, \u0622 \u062a \u0634 \u064a \u0633 \u0648 \u0646,"
        + " a c h i s o n, -1.1364"
  })
  void aTrainedModelTranslatesAsItsProgramDoes(
      String name, String source, String target, double score) throws IOException {
    Path model = SharedData.require("models/published/" + name);
    try (Ctranslate2File in = Ctranslate2File.open(model.resolve("model.bin"))) {
      Ctranslate2Converter converter =
          Ctranslate2Converter.of(
              in,
              Ctranslate2Settings.of(in, Optional.empty()),
              Files.readAllLines(model.resolve("source_vocabulary.txt")),
              Files.readAllLines(model.resolve("target_vocabulary.txt")));
      Network network = converter.tensors().network();
      List<String> sourceWords = converter.sourceWords();
      List<String> targetWords = converter.targetWords();
      assertThat(sourceWords).hasSize(51).startsWith("</s>", "<unk>", "<blank>", "<s>");
      assertThat(targetWords).hasSize(43).startsWith("</s>", "<unk>", "<blank>", "<s>");
      int[] ids = Stream.of(source.split(" ", -1)).mapToInt(sourceWords::indexOf).toArray();
      try (Decode decode =
          new DecodeCpu(network, DecodeOptions.greedy().withLengthNormalization(0))) {
        List<Result<Decoded>> results = decode.apply(List.of(DecodeInput.of(ids)));
        Hypothesis found = results.get(0).orElseThrow().best();
        assertThat(IntStream.of(found.ids()).mapToObj(targetWords::get))
            .containsExactly((target + " </s>").split(" ", -1));
        assertThat(found.score()).isCloseTo(score, within(SCORE));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void networksOfAllKindsComeBack(int version) throws IOException {
    Random random = new Random(version);
    for (int i = 0; i < 12; i++) {
      Network network = Ctranslate2Model.network(random);
      comesBack(network, version, random.nextBoolean());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MBART", "T5"})
  void networksOfHuggingFacesModelsComeBack(HuggingFaceGoldenTest.Model model) throws IOException {
    comesBack(model.network(), 6, true);
  }

  private void comesBack(Network network, int version, boolean fused) throws IOException {
    TransformerSettings s = network.settings(TransformerSettings.class);
    Network found = read(Ctranslate2Model.of(network, version, fused), s);
    TransformerSettings read = found.settings(TransformerSettings.class);
    assertThat(read.headWidth()).isEqualTo(s.headWidth());
    assertThat(read.search().rule()).isEqualTo(BeamRule.FIRST_ENDED);
    String own = "headWidth=\\d+|search=.*";
    assertThat(read.toString().replaceAll(own, "")).isEqualTo(s.toString().replaceAll(own, ""));
    assertThat(found.tensors().keySet()).isEqualTo(network.tensors().keySet());
    for (Tensor tensor : network.tensors().values()) {
      assertThat(found.tensor(tensor.name()).floats()).as(tensor.name()).isEqualTo(tensor.floats());
    }
  }

  private Network read(ModelBin model, TransformerSettings s) throws IOException {
    Path file = Files.write(folder.resolve("model.bin"), model.bytes());
    try (Ctranslate2File in = Ctranslate2File.open(file)) {
      return Ctranslate2Converter.of(
              in,
              Ctranslate2Model.settings(in.origin(), s),
              Ctranslate2Model.words(s.sourceVocabulary()),
              Ctranslate2Model.words(s.targetVocabulary()))
          .tensors()
          .network();
    }
  }

  /** A network with sinusoidal positions that is normalized at the top. */
  private static Network plain() {
    Random random = new Random(3);
    while (true) {
      Network network = Ctranslate2Model.network(random);
      TransformerSettings s = network.settings(TransformerSettings.class);
      TransformerVariant v = s.variant();
      if (s.normalizesTop()
          && v.positions() == Positions.SINUSOIDAL
          && v.start() != TransformerVariant.NO_START
          && !v.rootMeanSquare()
          && !v.gatedFeedForward()
          && v.scalesAttention()
          && v.headWidth() == 0
          && s.heads() > 1) {
        return network;
      }
    }
  }

  @Test
  void whatOtherModelsHaveIsRefusedByName() throws IOException {
    String layer = "decoder/layer_0/";
    refused(m -> m.scalar(layer + "self_attention/rotary_dim", ModelBin.INT32, 8), "has rotary");
    refused(
        m -> m.scalar(layer + "self_attention/num_heads_kv", ModelBin.INT32, 1),
        "has other heads of keys and values");
    refused(m -> m.scalar("encoder/multi_query_attention", ModelBin.INT8, 1), "has multi-query");
    refused(m -> m.scalar("decoder/sliding_window", ModelBin.INT32, 9), "attends to a sliding");
    refused(m -> m.scalar("decoder/alibi", ModelBin.INT8, 1), "has linear biases of attention");
    refused(
        m -> m.add(layer + "ffn/experts_0/weight", ModelBin.FLOAT32, new float[1], 1, 1),
        "is a mixture of experts");
    refused(
        m -> m.add(layer + "ffn/linear_0/weight_zero", ModelBin.INT32, new float[1], 1, 1),
        "has weights quantized by AWQ");
    int width = plain().settings(TransformerSettings.class).width();
    refused(
        m -> m.add("decoder/layer_norm/gamma", ModelBin.INT32, new float[width], width),
        "variable decoder/layer_norm/gamma",
        "found INT32");
    refused(
        m -> m.add(layer + "self_attention/relative_position_keys", 0, new float[1], 1, 1),
        "has relative positions in keys and values");
    refused(
        m -> m.add("encoder/embeddings_1/weight", 0, new float[1], 1, 1),
        "reads several features a word");
    refused(
        m -> m.add(layer + "ffn/linear_0_noact/weight", 0, new float[1], 1, 1),
        "linear_0_noact/weight belongs to an unsupported variant");
    refused(m -> m.add("decoder/other", 0, new float[1], 1), "decoder/other belongs to an");
    refused(m -> m.scalar("encoder/activation", ModelBin.INT8, 5), "activation 5 in the encoder");
    refused(m -> m.scalar("encoder/num_heads", ModelBin.INT16, 0), "num_heads 0 in the encoder");
    refused(m -> m.scalar("decoder/scale_embeddings", 0, 3), "multiplies embeddings by 3.0");
    refused(m -> m.scalar("decoder/alignment_layer", ModelBin.INT16, 9), "alignmentLayer must be");
    refused(m -> m.scalar("decoder/alignment_layer", 0, 0.5), "alignment_layer 0.5");
    refused(
        m -> m.scalar(layer + "attention/queries_scale", 0, 1), "has several scales of queries");
    refused(m -> m.scalar(layer + "attention/queries_scale", 0, 3), "has queries_scale 3.0");
    refused(m -> m.remove("encoder/layer_norm/gamma"), "layer_norm/gamma 0 in the encoder");
    refused(m -> m.remove("decoder/layer_norm/beta"), "decoder/layer_norm/beta is missing");
    refused(m -> m.remove("encoder/embeddings_0/weight").remove("decoder/embeddings/weight"), "");
  }

  private void refused(Consumer<ModelBin> change, String... messages) throws IOException {
    Network network = plain();
    ModelBin model = Ctranslate2Model.of(network, 6, true);
    change.accept(model);
    assertThatThrownBy(() -> read(model, network.settings(TransformerSettings.class)))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageStartingWith(folder.toString())
        .hasMessageContainingAll(messages);
  }

  @Test
  void otherSpecificationsAreRefused() throws IOException {
    for (String name : List.of("TransformerDecoderSpec", "WhisperSpec")) {
      Path file = Files.write(folder.resolve("m.bin"), new ModelBin(6, name, 7).bytes());
      try (Ctranslate2File in = Ctranslate2File.open(file)) {
        Ctranslate2Settings settings = Ctranslate2Settings.of(in, Optional.empty());
        assertThatThrownBy(() -> Ctranslate2Converter.of(in, settings, List.of(), List.of()))
            .isInstanceOf(ModelFormatException.class)
            .hasMessageStartingWith(file.toString())
            .hasMessageContaining(name);
      }
    }
  }

  @Test
  void outputsAreScaledWhereTheyAreNormalized() throws IOException {
    Network network = plain();
    TransformerSettings s = network.settings(TransformerSettings.class);
    Network found =
        read(Ctranslate2Model.of(network, 6, true).scalar("decoder/scale_outputs", 0, 0.5), s);
    for (String name : List.of("decoder.norm.gain", "decoder.norm.shift")) {
      assertThat(found.vector(name)[0]).isEqualTo(network.vector(name)[0] / 2);
    }
  }

  @Test
  void oldModelsHaveSettingsForBothSidesAndHeadsByName() throws IOException {
    Network network = plain();
    TransformerSettings s = network.settings(TransformerSettings.class);
    ModelBin model = Ctranslate2Model.of(network, 2, true);
    for (String side : List.of("encoder", "decoder")) {
      model.remove(side + "/num_heads");
    }
    model.scalar("num_heads", ModelBin.INT16, s.heads());
    assertThat(read(model, s).settings(TransformerSettings.class).heads()).isEqualTo(s.heads());
  }

  @Test
  void settingsComeFromScalarsOrTheConfiguration() throws IOException {
    ModelBin old =
        new ModelBin(5, "TransformerSpec", 5)
            .text("unk_token", "<u>")
            .text("bos_token", "<b>")
            .text("eos_token", "<e>")
            .scalar("with_source_bos", ModelBin.INT8, 1)
            .scalar("with_target_bos", ModelBin.INT8, 0);
    Ctranslate2Settings found = settings(old, Optional.empty());
    assertThat(found.start()).contains("<e>");
    assertThat(found.begin()).isEqualTo("<b>");
    assertThat(found.addsSourceBegin()).isTrue();
    assertThat(found.addsSourceEnd()).isFalse();
    assertThat(found.order(List.of("a", "<u>", "<e>")).original()).containsExactly(2, 1, 0);
    assertThatThrownBy(() -> found.order(List.of("a", "<u>")))
        .hasMessageContaining("expected the token <e> in the vocabulary of 2");
    assertThat(found.order(List.of("<blank>", "a", "<e>")).original()).containsExactly(2, 0, 1);
    assertThat(found.words(List.of("a", "<e>"), 3)).containsExactly("a", "<e>", "<u>");
    assertThat(found.words(List.of("a", "<e>"), 2)).containsExactly("a", "<e>");
    assertThatThrownBy(() -> found.words(List.of("<u>", "<e>"), 3))
        .hasMessageContaining("expected a vocabulary of 3 tokens, found 2");
    old.scalar("user_decoder_start_tokens", ModelBin.INT8, 1);
    assertThat(settings(old, Optional.empty()).start()).isEmpty();

    ModelBin model = new ModelBin(6, "TransformerSpec", 7);
    assertThat(settings(model, Optional.empty()).start()).contains("<s>");
    String config =
        """
        {"unk_token": "<unk>", "eos_token": "</s>", "decoder_start_token": "</s>",
         "add_source_eos": true, "layer_norm_epsilon": 1e-4}
        """;
    Ctranslate2Settings json = settings(model, Optional.of(config));
    assertThat(json.start()).contains("</s>");
    assertThat(json.addsSourceEnd()).isTrue();
    assertThat(json.epsilon()).hasValue(1e-4);
    assertThat(settings(model, Optional.of("{\"decoder_start_token\": null}")).start()).isEmpty();
    Ctranslate2Settings same = settings(model, Optional.of("{\"unk_token\": \"</s>\"}"));
    assertThatThrownBy(() -> same.order(List.of("</s>", "a")))
        .hasMessageContaining("expected a token for unknown words beside </s>, found the same");
    assertThatThrownBy(() -> settings(model, Optional.of("{\"quantization_type\": 1}")))
        .hasMessageContaining("config.json: the weights are quantized by AWQ");
  }

  private Ctranslate2Settings settings(ModelBin model, Optional<String> config) throws IOException {
    Path file = Files.write(folder.resolve("s.bin"), model.bytes());
    Optional<JsonSettings> json = Optional.empty();
    if (config.isPresent()) {
      Path path = Files.writeString(folder.resolve("config.json"), config.get());
      json = JsonSettings.readIfThere(path);
    }
    try (Ctranslate2File in = Ctranslate2File.open(file)) {
      return Ctranslate2Settings.of(in, json);
    }
  }
}
