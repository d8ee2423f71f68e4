package io.latimer.operators.nmt.convert.huggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.Safeguards;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.Translated;
import io.latimer.operators.nmt.cpu.DecodeGoldenTest;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.text.Guidance;
import io.latimer.operators.text.KeepPatterns;
import io.latimer.operators.text.TextInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Text becomes the ids that the library's tokenizers give, in any of the model's languages. */
public final class TokenizerReaderTest {
  @TempDir private Path folder;

  private Path imported(Path from) throws IOException {
    return imported(from, folder);
  }

  /** The model file of a folder. */
  public static Path imported(Path from, Path folder) throws IOException {
    Path out = Files.createTempFile(folder, "model", ".lmx");
    HuggingFaceFolder.open(from).importTo(out, "");
    return out;
  }

  private Path place(String name) throws IOException {
    return Files.createDirectory(folder.resolve(name));
  }

  @Test
  void nllbTranslatesTextAsTheLibraryDoes() throws IOException {
    Path model = imported(TinyFolders.nllb(place("nllb"), false));
    compare(model, "hf-nllb-tiny", new Guidance("en", "de", ""), 1, Device.CPU);
    compare(model, "hf-nllb-tiny", new Guidance("", "deu_Latn", ""), 5, Device.CPU);
  }

  @Test
  void mbartTranslatesTextAsTheLibraryDoes() throws IOException {
    Path model = imported(TinyFolders.mbart(place("mbart"), false));
    compare(model, "hf-mbart-tiny", new Guidance("en-GB", "de", ""), 1, Device.CPU);
    compare(model, "hf-mbart-tiny", new Guidance("en_XX", "de_DE", ""), 5, Device.CPU);
  }

  @Test
  void t5TranslatesTextAsTheLibraryDoes() throws IOException {
    Path model = imported(TinyFolders.t5(place("t5"), false));
    compare(model, "hf-t5-tiny", Guidance.NONE, 1, Device.CPU);
    compare(model, "hf-t5-tiny", Guidance.NONE, 5, Device.CPU);
  }

  @Test
  void charactersWithoutAPieceAreBytes() throws IOException {
    Path model = imported(TinyFolders.bytes(place("bytes")));
    int space = 3 + 0xE2; // U+2581
    assertThat(ids(model, "w260 \u20ac", "", ""))
        .containsExactly(260, space, 3 + 0x96, 3 + 0x81, 3 + 0xE2, 3 + 0x82, 3 + 0xAC, 0, -1);
    try (Translate translate =
        Translate.opener(TranslateOptions.of(DecodeOptions.greedy())).open(model, Device.CPU)) {
      Translated found = translate.apply(List.of("w260 \u20ac")).get(0).orElseThrow();
      assertThat(found.text()).isNotEmpty().doesNotContain("<0x");
    }
  }

  /**
   * Compares the translations of all lines of a golden file, whose texts are words and ids.
   *
   * @param guidance the languages of the golden file
   */
  public static void compare(Path model, String name, Guidance guidance, int beam, Device device)
      throws IOException {
    Path golden = SharedData.require("models/published/" + name + ".golden.jsonl");
    List<JsonNode> lines = DecodeGoldenTest.golden(golden);
    assertThat(lines).hasSize(30);
    int unknown = name.equals("hf-t5-tiny") ? 2 : 3;
    int compared = 0;
    for (JsonNode line : lines) {
      JsonNode expected = line.get(beam == 1 ? "greedy" : "beam5");
      int[] ids = DecodeGoldenTest.ids(expected.get("ids"));
      if (IntStream.of(ids).anyMatch(id -> id == unknown)) {
        continue; // such words are written as the source's
      }
      compared++;
      int length = line.get("src").size();
      int limit = 3 * length + 8;
      boolean cut = ids.length == limit + 1 && ids[limit] == 2;
      int steps = name.contains("mbart") && cut ? limit - 1 : limit;
      TranslateOptions options =
          TranslateOptions.of(
                  DecodeOptions.beam(beam)
                      .withMaxLengthFactor((float) (steps - 0.5) / length)
                      .withAllowUnknown(true))
              .withPrecision(Optional.of(NmtPrecision.FLOAT32))
              .withSafeguards(Safeguards.NONE)
              .withGuidance(guidance);
      try (Translate translate = Translate.opener(options).open(model, device)) {
        Translated found =
            translate.apply(List.of(words(line.get("text").asText()))).get(0).orElseThrow();
        String text =
            IntStream.of(ids)
                .skip(guidance.targetLanguage().isEmpty() ? 1 : 2)
                .limit(guidance.targetLanguage().isEmpty() ? steps : steps - 1)
                .filter(id -> id > 2)
                .mapToObj(id -> id >= TinyFolders.FIRST_LANGUAGE ? "L" : " w" + id)
                .reduce("", String::concat);
        assertThat(found.text().replaceAll("[a-z]{2,3}_([A-Z]{2}|[A-Z][a-z]{3})|<unk>", "L"))
            .as("line %s", line.get("i"))
            .isEqualTo(text.strip());
        assertThat(found.score())
            .isCloseTo(
                expected.get("score").asDouble(), within(Math.max(1e-4, -1e-6 * found.score())));
      }
    }
    assertThat(compared).isGreaterThan(20);
  }

  private static String words(String ids) {
    return Arrays.stream(ids.split(" "))
        .map(id -> "w" + id)
        .reduce((a, b) -> a + " " + b)
        .orElse("");
  }

  /** What the network reads of a text, in the library's ids. */
  private int[] ids(Path model, String text, String from, String to) {
    try (IndexFile file = IndexFile.open(model);
        TranslationModel opened = TranslationModel.open(file)) {
      var sentence =
          opened
              .pipeline()
              .prepare(new TextInput(text, new Guidance(from, to, "")), true, KeepPatterns.NONE)
              .get(0);
      List<Integer> ids = new ArrayList<>();
      IntStream.of(sentence.ids()).forEach(ids::add);
      ids.add(-1);
      IntStream.of(sentence.targetIds()).forEach(ids::add);
      return ids.stream().mapToInt(i -> i).toArray();
    }
  }

  @Test
  void languagesAreFoundByTagsAndByTheModelsNames() throws IOException {
    Path model = imported(TinyFolders.nllb(place("nllb"), false));
    // the model's ids, but the end is 0 and the unknown word 1: <s> and <pad> are 2 and 3
    assertThat(ids(model, "w17", "en", "zh")).containsExactly(305, 17, 0, -1, 302);
    assertThat(ids(model, "w17", "eng_Latn", "zh-TW")).containsExactly(305, 17, 0, -1, 303);
    assertThat(ids(model, "w17", "ar", "zho_hans")).containsExactly(304, 17, 0, -1, 302);
    assertThat(ids(model, "w17", "sr", "FR")).containsExactly(306, 17, 0, -1, 301);
    assertThatThrownBy(() -> ids(model, "w17", "en", "sr-Latn"))
        .isInstanceOf(RecordException.class)
        .hasMessage(
            "the model cannot write the language \"sr-Latn\"; it knows de, fr, zh, zh-Hant, ar, en,"
                + " sr");
    assertThatThrownBy(() -> ids(model, "w17", "xx", "de"))
        .hasMessageStartingWith("the model cannot read the language \"xx\"; it knows de, ");
    assertThatThrownBy(() -> ids(model, "w17", "en", ""))
        .hasMessageStartingWith("the model must be told the target language: ");
  }

  @Test
  void olderAndOtherFormatsPutLanguagesElsewhere() throws IOException {
    Path legacy = imported(TinyFolders.nllb(place("legacy"), true));
    assertThat(ids(legacy, "w17 w18", "en", "de")).containsExactly(17, 18, 0, 305, -1, 300);
    Path m2m = imported(TinyFolders.m2m100(place("m2m")));
    assertThat(ids(m2m, "w17 w18", "en", "fr")).containsExactly(305, 17, 18, 0, -1, 301);
    Path fifty = imported(TinyFolders.mbart(place("fifty"), true));
    assertThat(ids(fifty, "w17 w18", "en", "de")).containsExactly(306, 17, 18, 0, -1, 301);
    Path mbart = imported(TinyFolders.mbart(place("mbart"), false));
    assertThat(ids(mbart, "w17 w18", "en", "de")).containsExactly(17, 18, 0, 306, -1, 301);
  }

  @Test
  void textsMayBeginWithTheTokenOfTheirTargetLanguage() throws IOException {
    Path madlad = imported(TinyFolders.t5(place("madlad"), true));
    // </s> is 1 and <unk> 2 there: ids 0 and 1 move
    int[] german = ids(madlad, "w17 w18", "", "de");
    assertThat(german).hasSize(5).endsWith(17, 18, 0, -1);
    assertThat(ids(madlad, "<2de> w17 w18", "", "")).isEqualTo(german);
    assertThat(ids(madlad, "w17 w18", "", "pt")).isNotEqualTo(german).hasSize(5);
    assertThatThrownBy(() -> ids(madlad, "<2fr> w17", "", ""))
        .hasMessageContaining("the model must be told the target language")
        .hasMessageContaining("it knows de, pt");
  }

  @Test
  void recordsOfSeveralLanguagesShareABatch() throws IOException {
    Path model = imported(TinyFolders.nllb(place("nllb"), false));
    together(model, Device.CPU);
    Guidance klingon = new Guidance("en", "tlh", "");
    TranslateOptions options = TranslateOptions.DEFAULTS.withGuidance(klingon);
    assertThatThrownBy(() -> Translate.opener(options).open(model, Device.CPU))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("cannot write the language \"tlh\"; it knows de, fr");
  }

  /** Translates a text to several languages in one batch. */
  public static void together(Path model, Device device) {
    List<TextInput> batch = new ArrayList<>();
    for (String to : List.of("de", "fr", "zh", "tlh", "ar")) {
      batch.add(new TextInput("w17 w18 w19", new Guidance("en", to, "")));
    }
    TranslateOptions options =
        TranslateOptions.of(DecodeOptions.beam(2))
            .withPrecision(Optional.of(NmtPrecision.FLOAT32))
            .withSafeguards(Safeguards.NONE);
    try (Translate translate = Translate.opener(options).open(model, device)) {
      List<Result<Translated>> together = translate.translate(batch);
      assertThat(together.get(3)).isInstanceOf(Result.Failure.class);
      for (int i : new int[] {0, 1, 2, 4}) {
        Translated alone = translate.translate(batch.subList(i, i + 1)).get(0).orElseThrow();
        Translated found = together.get(i).orElseThrow();
        assertThat(found.text()).isEqualTo(alone.text());
        assertThat(found.targetLanguage()).isEqualTo(List.of("de", "fr", "zh", "", "ar").get(i));
      }
      assertThat(together.get(0).orElseThrow().text())
          .isNotEqualTo(together.get(1).orElseThrow().text());
    }
  }

  @Test
  void aTokenizerThatIsNotWholeIsRefused() throws IOException {
    Path nllb = TinyFolders.nllb(place("nllb"), false);
    Files.delete(nllb.resolve("special_tokens_map.json"));
    refused(nllb, "the tokens of its languages are missing");
    TinyFolders.json(
        nllb.resolve("special_tokens_map.json"),
        Map.of(
            "additional_special_tokens",
            IntStream.range(0, 30)
                .mapToObj(i -> "a" + (char) (97 + i % 26) + (char) (97 + i / 26) + "_Latn")
                .toList()));
    refused(nllb, "expected ids up to 319");
    TinyFolders.json(
        nllb.resolve("special_tokens_map.json"), Map.of("additional_special_tokens", List.of(7)));
    refused(nllb, "additional_special_tokens: expected texts");
    TinyFolders.json(
        nllb.resolve("tokenizer_config.json"),
        Map.of("added_tokens_decoder", Map.of("999999999999", Map.of("content", "deu_Latn"))));
    refused(nllb, "added_tokens_decoder has the id 999999999999");
    TinyFolders.json(
        nllb.resolve("tokenizer_config.json"),
        Map.of("added_tokens_decoder", Map.of("17", Map.of("content", "deu_Latn"))));
    imported(nllb);
    TinyFolders.json(
        nllb.resolve("tokenizer_config.json"),
        Map.of("added_tokens_decoder", Map.of("317", Map.of("content", "\u2581w17"))));
    refused(nllb, "languages are missing");
    Files.delete(nllb.resolve("sentencepiece.bpe.model"));
    refused(nllb, "sentencepiece.bpe.model cannot be read: no such file");
    Path t5 = TinyFolders.t5(place("t5"), false);
    Files.write(
        nllb.resolve("sentencepiece.bpe.model"), Files.readAllBytes(t5.resolve("spiece.model")));
    refused(nllb, "expected the first pieces [<unk>, <s>, </s>], found [<pad>, </s>, <unk>]");
  }

  private void refused(Path from, String message) {
    Path out = folder.resolve("refused.lmx");
    assertThatThrownBy(() -> HuggingFaceFolder.open(from).importTo(out, ""))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageContaining(message)
        .hasMessageStartingWith(from.toString());
    assertThat(out).doesNotExist();
  }
}
