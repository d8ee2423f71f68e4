package io.latimer.operators.align;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.phrases.index.PhraseIndex;
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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Lines that are held out of an index get much the alignment that fast_align gave them when it was
 * trained on all lines.
 */
class AlignerGoldenTest {
  /** One line of so many is held out; not those that the constants were chosen on. */
  private static final int HELD_OUT = 41;

  @TempDir private Path folder;

  /** Links compared with those of fast_align. */
  private static final class Comparison {
    long common;
    long found;
    long expected;

    void add(Set<String> found, Set<String> expected) {
      this.found += found.size();
      this.expected += expected.size();
      common += found.stream().filter(expected::contains).count();
    }

    double precision() {
      return (double) common / found;
    }

    double recall() {
      return (double) common / expected;
    }

    /** Och and Ney's alignment error rate, with every expected link a sure one. */
    double errorRate() {
      return 1 - 2.0 * common / (found + expected);
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "multi30k, train.lc.norm.tok.en.gz, train.lc.norm.tok.de.gz, train.en-de.gdfa.gz, 0.07",
    "pydocs-en-es, train.lc.tok.en.gz, train.lc.tok.es.gz, train.en-es.gdfa.gz, 0.04",
    "tatoeba-en-de, train.lc.tok.en.gz, train.lc.tok.de.gz, train.en-de.gdfa.gz, 0.043"
  })
  void alignsHeldOutLinesAsFastAlignDid(
      String data, String source, String target, String alignment, double most) throws IOException {
    Path text = SharedData.require("data/" + data);
    List<List<String>> columns =
        List.of(
            lines(text.resolve("tok/" + source)),
            lines(text.resolve("tok/" + target)),
            lines(text.resolve("align/" + alignment)));
    Aligner aligner = Aligner.of(indexOfTheOthers(columns));

    Comparison ours = new Comparison();
    Comparison onDiagonal = new Comparison();
    for (int line = 0; line < columns.get(0).size(); line += HELD_OUT) {
      List<String> from = WordIds.split(columns.get(0).get(line));
      List<String> to = WordIds.split(columns.get(1).get(line));
      Set<String> expected = new HashSet<>(WordIds.split(columns.get(2).get(line)));
      ours.add(
          aligner.align(from, to).links().stream()
              .map(Object::toString)
              .collect(Collectors.toSet()),
          expected);
      onDiagonal.add(
          IntStream.range(0, to.size())
              .mapToObj(j -> j * from.size() / to.size() + "-" + j)
              .collect(Collectors.toSet()),
          expected);
    }
    System.out.printf(
        "%s: precision %.4f, recall %.4f, alignment error rate %.4f; along the diagonal %.4f%n",
        data, ours.precision(), ours.recall(), ours.errorRate(), onDiagonal.errorRate());
    assertThat(ours.errorRate()).isLessThan(most);
    assertThat(onDiagonal.errorRate()).isGreaterThan(0.5);
  }

  private PhraseIndex indexOfTheOthers(List<List<String>> columns) throws IOException {
    List<Path> files = new ArrayList<>();
    for (List<String> column : columns) {
      List<String> others = new ArrayList<>();
      for (int line = 0; line < column.size(); line++) {
        if (line % HELD_OUT != 0) {
          others.add(column.get(line));
        }
      }
      files.add(Files.write(folder.resolve("column" + files.size()), others));
    }
    Path index = folder.resolve("x.lpx");
    PhraseIndexBuilder.index(
        new PhraseTextFiles(files.get(0), files.get(1), files.get(2)),
        false,
        index,
        "",
        BuildProgress.NONE);
    try (IndexFile file = IndexFile.open(index)) {
      return PhraseIndex.open(file);
    }
  }

  private static List<String> lines(Path file) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }
}
