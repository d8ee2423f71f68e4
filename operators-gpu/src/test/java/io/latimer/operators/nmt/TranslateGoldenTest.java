package io.latimer.operators.nmt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.nmt.convert.ImportReport;
import io.latimer.operators.nmt.convert.ImportRequest;
import io.latimer.operators.nmt.convert.ModelImporter;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Raw text to raw text with the example model: import, load, translate, against its golden files.
 */
class TranslateGoldenTest {
  private static final int LINES = 100;

  private static final TranslateOptions FLOAT32 =
      TranslateOptions.DEFAULTS
          .withPrecision(Optional.of(NmtPrecision.FLOAT32))
          .withSafeguards(Safeguards.NONE); // the golden text is the model's own

  @TempDir static Path folder;
  private static Path golden;
  private static IndexRef model;

  /** Once; not before all tests, because skipped ones are counted by their names. */
  @BeforeEach
  void importModel() {
    Path files = SharedData.require("models/tatoeba-ende-gru");
    if (model != null) {
      return;
    }
    golden = files.resolve("golden");
    Path out = folder.resolve("tatoeba.lmx");
    Path vocabulary = files.resolve("vocab.yml");
    ModelImporter.importModel(
        ImportRequest.to(out)
            .weights(files.resolve("model.npz"))
            .vocabularies(vocabulary, vocabulary)
            .spm(files.resolve("spm.model"))
            .languages("en", "de")
            .version("test"));
    model = IndexRefs.of(out);
  }

  /** Where to translate; in 32 bits. */
  Device device() {
    return Device.CPU;
  }

  private Translate translate(int beam, int nBest, Boolean split) {
    return translate(model, beam, nBest, split);
  }

  private Translate translate(IndexRef model, int beam, int nBest, Boolean split) {
    return Translate.opener(
            TranslateOptions.of(DecodeOptions.beam(beam).withNBest(nBest))
                .withSplitSentences(Optional.ofNullable(split))
                .withSafeguards(Safeguards.NONE)
                .withPrecision(Optional.of(NmtPrecision.FLOAT32)))
        .open(model, device());
  }

  @Test
  void beamSearchGivesTheGoldenTextAndScores() throws IOException {
    matches(translate(5, 1, false), "beam5");
  }

  @Test
  void greedySearchGivesTheGoldenTextAndScores() throws IOException {
    matches(translate(1, 1, false), "greedy");
  }

  /** A transformer packed as OPUS-MT packs: segmentation by two .spm files, ids by vocab.yml. */
  @ParameterizedTest
  @ValueSource(strings = {"m30k-ende-transformer", "tatoeba-ende-transformer", "tatoeba-ende-live"})
  void aTransformerGivesTheGoldenTextAndScores(String name) throws IOException {
    Path files = SharedData.require("models/" + name);
    Path source = Files.copy(files.resolve("spm.model"), folder.resolve(name + ".source.spm"));
    Path target = Files.copy(files.resolve("spm.model"), folder.resolve(name + ".target.spm"));
    Path vocabulary = files.resolve("vocab.yml");
    Path out = folder.resolve(name + ".lmx");
    ImportReport report =
        ModelImporter.importModel(
            ImportRequest.to(out)
                .weights(files.resolve("model.npz"))
                .vocabularies(vocabulary, vocabulary)
                .spm(source)
                .targetSpm(target)
                .languages("en", "de"));
    assertThat(report.warnings()).isEmpty();
    matches(translate(IndexRefs.of(out), 5, 1, false), files.resolve("golden"), "beam5");
  }

  private static void matches(Translate operator, String search) throws IOException {
    matches(operator, golden, search);
  }

  private static void matches(Translate operator, Path folder, String search) throws IOException {
    List<String> source = lines(folder, "source.txt");
    List<String> expected = lines(folder, search + ".txt");
    List<String> json = lines(folder, "golden.jsonl");
    ObjectMapper mapper = new ObjectMapper();
    try (Translate translate = operator) {
      List<Result<Translated>> results = translate.apply(source);
      assertThat(results).hasSize(LINES);
      int close = 0;
      for (int i = 0; i < LINES; i++) {
        JsonNode line = mapper.readTree(json.get(i));
        Translated translated = results.get(i).orElseThrow();
        if (!translated.text().equals(expected.get(i)) && line.get("margin").asDouble() < 1e-4) {
          close++;
          continue;
        }
        assertThat(translated.text()).as("line %d", i).isEqualTo(expected.get(i));
        assertThat(translated.score())
            .isCloseTo(line.get(search).get("score").asDouble(), within(5e-4));
        assertThat(translated.normalizedScore())
            .isCloseTo(line.get(search).get("norm").asDouble(), within(5e-4));
      }
      assertThat(close).as("lines whose best two are too close to call").isLessThan(3);
    }
  }

  @Test
  void batchesOfAnyKindGiveTheSameText() throws IOException {
    List<String> source = lines("source.txt").subList(0, 60);
    List<String> expected = lines("beam5.txt").subList(0, 60);
    try (Translate translate = translate(5, 1, false)) {
      List<String> got = new ArrayList<>();
      for (int from = 0; from < 60; from += 7) {
        List<String> batch = source.subList(from, Math.min(from + 7, 60));
        translate.apply(batch).forEach(result -> got.add(result.orElseThrow().text()));
      }
      assertThat(got).isEqualTo(expected);
    }
  }

  @Test
  void recordsOfSeveralSentencesEmojiAndAddressesComeOutWhole() throws IOException {
    List<String> source = lines("source.txt");
    List<String> expected = lines("beam5.txt");
    try (Translate translate = translate(5, 1, null)) {
      List<Result<Translated>> results =
          translate.apply(
              List.of(
                  source.get(3) + " 😀 " + source.get(4),
                  source.get(3) + "\n\n" + source.get(4),
                  "https://example.org/a?b=c&d 🎉",
                  "",
                  "broken \udc00",
                  "I came here 😀 alone. www.example.org",
                  "I like it, and ".repeat(14)));
      assertThat(results.get(0).orElseThrow().text())
          .isEqualTo(expected.get(3) + " 😀 " + expected.get(4));
      assertThat(results.get(1).orElseThrow().text())
          .isEqualTo(expected.get(3) + "\n\n" + expected.get(4));
      assertThat(results.get(2).orElseThrow().text()).isEqualTo("https://example.org/a?b=c&d 🎉");
      assertThat(results.get(3).orElseThrow().text()).isEmpty();
      assertThatThrownBy(() -> results.get(4).orElseThrow())
          .isInstanceOf(RecordException.class)
          .hasMessageContaining("U+DC00");
      assertThat(results.get(5).orElseThrow().text()).contains("😀").endsWith("www.example.org");
      assertThat(results.get(6).orElseThrow().text()).isNotEmpty();
    }
  }

  @Test
  void nBestListsAreInOrderAndBeginWithTheTranslation() throws IOException {
    try (Translate translate = translate(5, 5, null)) {
      for (Result<Translated> result : translate.apply(lines("source.txt").subList(0, 20))) {
        Translated translated = result.orElseThrow();
        assertThat(translated.nBest()).hasSize(5);
        assertThat(translated.nBest().get(0).text()).isEqualTo(translated.text());
        assertThat(translated.nBest())
            .isSortedAccordingTo(
                (a, b) -> Double.compare(b.normalizedScore(), a.normalizedScore()));
      }
    }
  }

  @Test
  void translatorsOfOneModelShareItsCopy() {
    int before = ResidentIndexes.process().size();
    try (Translate one = translate(1, 1, null);
        Translate other = Translate.opener(FLOAT32).open(IndexRefs.path(model), device())) {
      assertThat(ResidentIndexes.process().size()).isEqualTo(before + 1);
      assertThat(one.model()).isEqualTo(other.model());
      assertThat(one.model().version()).isEqualTo("test");
      assertThat(one.model().sourceLanguage()).isEqualTo("en");
      assertThat(one.model().targetLanguage()).isEqualTo("de");
    }
    assertThat(ResidentIndexes.process().size()).isEqualTo(before);
  }

  @Test
  void anotherFileUnderTheSameReferenceIsRefused() {
    IndexRef other = new IndexRef(model.kind(), model.uri(), "0".repeat(64), model.version());
    assertThatThrownBy(() -> Translate.opener(FLOAT32).open(other, device()))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("tatoeba.lmx");
  }

  private static List<String> lines(String name) throws IOException {
    return lines(golden, name);
  }

  private static List<String> lines(Path folder, String name) throws IOException {
    return Files.readAllLines(folder.resolve(name)).subList(0, LINES);
  }
}
