package io.latimer.operators.phrases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
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

  /** Sentence pairs at the end of a text that are learned instead of indexed. */
  private static final int LEARNED = 1000;

  private interface Open {
    Phrases on(Path file, PhraseOptions options, LearnedPairs learned);
  }

  /** Opens an operator. */
  abstract Phrases open(Path file, PhraseOptions options, LearnedPairs learned);

  private record Golden(Path folder, Path index, LearnedPairs learned) {
    static Golden of(String data, String source, String target, String alignment, Path folder) {
      Path text = SharedData.require("data/" + data);
      Path index = folder.resolve(data + ".lpx");
      index(text.resolve(source), text.resolve(target), text.resolve("align/" + alignment), index);
      return new Golden(text.resolve("golden-phrases"), index, LearnedPairs.none());
    }

    /** The same text, of which the last pairs are learned. */
    static Golden taught(String data, String source, String target, String alignment, Path folder)
        throws IOException {
      Path text = SharedData.require("data/" + data);
      List<String> sources = lines(text.resolve(source));
      List<String> targets = lines(text.resolve(target));
      List<String> alignments = lines(text.resolve("align/" + alignment));
      int base = sources.size() - LEARNED;
      Path index = folder.resolve(data + "-base.lpx");
      index(
          Files.write(folder.resolve("source"), sources.subList(0, base)),
          Files.write(folder.resolve("target"), targets.subList(0, base)),
          Files.write(folder.resolve("alignment"), alignments.subList(0, base)),
          index);
      List<LearnedPair> pairs = new ArrayList<>();
      for (int i = base; i < sources.size(); i++) {
        pairs.add(
            new LearnedPair("line " + i, 0, sources.get(i), targets.get(i), alignments.get(i)));
      }
      return new Golden(text.resolve("golden-phrases"), index, LearnedPairs.none().with(pairs));
    }

    private static void index(Path source, Path target, Path alignment, Path out) {
      PhraseIndexBuilder.index(
          new PhraseTextFiles(source, target, alignment), false, out, "", BuildProgress.NONE);
    }

    private static List<String> lines(Path file) throws IOException {
      try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      }
    }

    /** The phrases of the sentences by their text. */
    Map<String, SourcePhrase> phrases(PhraseOptions options, Open open) throws IOException {
      List<String> sentences =
          Files.readAllLines(folder.resolve("sentences.tsv")).stream()
              .map(line -> line.substring(line.indexOf('\t') + 1))
              .toList();
      Map<String, SourcePhrase> phrases = new LinkedHashMap<>();
      try (Phrases operator = open.on(index, options, learned)) {
        operator
            .apply(sentences)
            .forEach(
                table ->
                    table.orElseThrow().phrases().forEach(each -> phrases.put(each.text(), each)));
      }
      return phrases;
    }

    List<String[]> rows(String name) throws IOException {
      return lines(folder.resolve(name + ".txt.gz")).stream()
          .map(line -> line.split(" \\|\\|\\| ", -1))
          .toList();
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

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "multi30k, tok/train.lc.norm.tok.en.gz, tok/train.lc.norm.tok.de.gz, train.en-de.gdfa.gz",
    "pydocs-en-es, tok/train.lc.tok.en.gz, tok/train.lc.tok.es.gz, train.en-es.gdfa.gz"
  })
  void givesTheGoldenPairsWhereTheLastOnesAreLearned(
      String data, String source, String target, String alignment) throws IOException {
    Golden golden = Golden.taught(data, source, target, alignment, folder);
    compareAll(golden, "src5.tgt15.all", new PhraseOptions(0, 5, 15, false));
    compareAll(golden, "nolimit.all", new PhraseOptions(0, 0, 0, false));
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
