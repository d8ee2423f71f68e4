package io.latimer.cli.phrases;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import io.latimer.operators.testing.SharedData;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Indexes whole corpora and prints the golden phrase tables, byte for byte. */
final class PhrasesQueryGoldenTest {
  private static final int SAMPLES = 300;

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "multi30k, train.lc.norm.tok.en.gz, train.lc.norm.tok.de.gz, train.en-de.gdfa.gz",
    "pydocs-en-es, train.lc.tok.en.gz, train.lc.tok.es.gz, train.en-es.gdfa.gz"
  })
  void printsTheGoldenRows(String name, String source, String target, String alignment)
      throws IOException {
    Path data = SharedData.require("data/" + name);
    Path index =
        new ParallelText(
                data.resolve("tok").resolve(source),
                data.resolve("tok").resolve(target),
                data.resolve("align").resolve(alignment))
            .index(folder.resolve(name + ".lpx"));
    Path golden = data.resolve("golden-phrases");
    String sentences =
        Files.readString(golden.resolve("sentences.tsv"))
            .lines()
            .map(line -> line.substring(line.indexOf('\t') + 1) + "\n")
            .collect(Collectors.joining());
    assertSame(
        query(sentences, index, "--sample=all"), unpack(golden, "pairs.src5.tgt15.all.txt.gz"));
    assertSame(
        query(sentences, index, "--sample=all", "--max-source=0", "--max-target=0"),
        unpack(golden, "pairs.nolimit.all.txt.gz"));
    String sampled = query(sentences, index, "--columns=count,source-count,samples,occurrences");
    assertSame(
        sampled
            .lines()
            .filter(row -> Long.parseLong(row.substring(row.lastIndexOf(' ') + 1)) > SAMPLES)
            .map(row -> row + "\n")
            .collect(Collectors.joining()),
        unpack(golden, "pairs.src5.tgt15.s300.txt.gz"));
  }

  private static String query(String sentences, Path index, String... options) {
    String[] command = new String[4 + options.length];
    System.arraycopy(
        new String[] {"phrases", "query", "--index", index.toString()}, 0, command, 0, 4);
    System.arraycopy(options, 0, command, 4, options.length);
    Run run = Run.withInput(sentences, command);
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run.out();
  }

  private static void assertSame(String rows, String golden) {
    assertThat(golden).isNotEmpty();
    if (!rows.equals(golden)) { // so much text is no message
      assertThat(rows.split("\n", -1)).containsExactly(golden.split("\n", -1));
    }
  }

  private static String unpack(Path folder, String name) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(folder.resolve(name)))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
