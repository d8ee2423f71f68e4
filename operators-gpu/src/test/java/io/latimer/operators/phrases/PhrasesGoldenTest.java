package io.latimer.operators.phrases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.phrases.index.PhraseIndexBuilder;
import io.latimer.operators.phrases.index.PhraseTextFiles;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.util.BuildProgress;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real text gives the phrase pairs of another program. */
abstract class PhrasesGoldenTest {
  @TempDir private Path folder;

  private interface Open {
    Phrases on(Path file, PhraseOptions options);
  }

  /** Opens an operator. */
  abstract Phrases open(Path file, PhraseOptions options);

  private record Golden(Path folder, Path index) {
    static Golden of(String data, String source, String target, String alignment, Path folder) {
      Path text = SharedData.require("data/" + data);
      Path index = folder.resolve(data + ".lpx");
      PhraseIndexBuilder.index(
          new PhraseTextFiles(
              text.resolve(source), text.resolve(target), text.resolve("align/" + alignment)),
          false,
          index,
          "",
          BuildProgress.NONE);
      return new Golden(text.resolve("golden-phrases"), index);
    }

    /** The phrases of the sentences by their text. */
    Map<String, SourcePhrase> phrases(PhraseOptions options, Open open) throws IOException {
      List<String> sentences =
          Files.readAllLines(folder.resolve("sentences.tsv")).stream()
              .map(line -> line.substring(line.indexOf('\t') + 1))
              .toList();
      Map<String, SourcePhrase> phrases = new LinkedHashMap<>();
      try (Phrases operator = open.on(index, options)) {
        operator
            .apply(sentences)
            .forEach(
                table ->
                    table.orElseThrow().phrases().forEach(each -> phrases.put(each.text(), each)));
      }
      return phrases;
    }

    List<String[]> rows(String name) throws IOException {
      try (InputStream in =
          new GZIPInputStream(Files.newInputStream(folder.resolve(name + ".txt.gz")))) {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .map(line -> line.split(" \\|\\|\\| ", -1))
            .toList();
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "multi30k, tok/train.lc.norm.tok.en.gz, tok/train.lc.norm.tok.de.gz, train.en-de.gdfa.gz",
    "pydocs-en-es, tok/train.lc.tok.en.gz, tok/train.lc.tok.es.gz, train.en-es.gdfa.gz"
  })
  void givesTheGoldenPairs(String data, String source, String target, String alignment)
      throws IOException {
    Golden golden = Golden.of(data, source, target, alignment, folder);
    compareAll(golden, "src5.tgt15.all", new PhraseOptions(0, 5, 15, false));
    compareAll(golden, "nolimit.all", new PhraseOptions(0, 0, 0, false));
    compareSampled(golden, "src5.tgt15.s300", new PhraseOptions(300, 5, 15, false));
  }

  private void compareAll(Golden golden, String name, PhraseOptions options) throws IOException {
    Map<String, SourcePhrase> phrases = golden.phrases(options, this::open);
    comparePairs(golden.rows("pairs." + name), phrases);
    comparePhrases(golden.rows("phrases." + name), phrases);
  }

  private static void comparePairs(List<String[]> rows, Map<String, SourcePhrase> phrases) {
    Map<String, String[]> left = new LinkedHashMap<>();
    rows.forEach(row -> left.put(row[0] + " ||| " + row[1], row));
    assertThat(left).hasSameSizeAs(rows);
    for (SourcePhrase phrase : phrases.values()) {
      for (PhrasePair pair : phrase.pairs()) {
        String where = phrase.text() + " ||| " + pair.text();
        String[] row = left.remove(where);
        assertThat(row).as(where).isNotNull();
        assertThat(List.of("" + pair.count(), "" + phrase.extractions(), "" + phrase.occurrences()))
            .as(where)
            .isEqualTo(List.of(row[2], row[3], row[4]));
        assertFeature(pair.probability(), row[5], where);
        assertFeature(phrase.coherence(), row[6], where);
        assertFeature(pair.lexicalTargetGivenSource(), row[7], where);
        assertFeature(pair.lexicalSourceGivenTarget(), row[8], where);
      }
    }
    assertThat(left).isEmpty();
  }

  private static void assertFeature(double found, String expected, String where) {
    assertThat(found).as(where).isEqualTo(Double.parseDouble(expected), within(1e-9));
  }

  private static void comparePhrases(List<String[]> rows, Map<String, SourcePhrase> phrases) {
    int occurring = 0;
    for (String[] row : rows) {
      SourcePhrase phrase = phrases.get(row[0]);
      if (row[2].equals("0")) {
        assertThat(phrase).as(row[0]).isNull();
        continue;
      }
      occurring++;
      assertThat(phrase).as(row[0]).isNotNull();
      List<String> found = new ArrayList<>(List.of("" + phrase.words(), "" + phrase.occurrences()));
      for (ExtractionOutcome outcome : ExtractionOutcome.values()) {
        found.add("" + phrase.outcomes(outcome));
      }
      assertThat(found).as(row[0]).isEqualTo(List.of(row).subList(1, 8));
    }
    assertThat(phrases).hasSize(occurring);
  }

  private void compareSampled(Golden golden, String name, PhraseOptions options)
      throws IOException {
    List<String> found = new ArrayList<>();
    for (SourcePhrase phrase : golden.phrases(options, this::open).values()) {
      if (phrase.occurrences() > options.samples()) {
        for (PhrasePair pair : phrase.pairs()) {
          found.add(
              String.join(
                  " ||| ",
                  phrase.text(),
                  pair.text(),
                  "" + pair.count(),
                  "" + phrase.extractions(),
                  "" + phrase.samples(),
                  "" + phrase.occurrences()));
        }
      }
    }
    assertThat(found)
        .containsExactlyInAnyOrderElementsOf(
            golden.rows("pairs." + name).stream().map(row -> String.join(" ||| ", row)).toList());
  }
}
