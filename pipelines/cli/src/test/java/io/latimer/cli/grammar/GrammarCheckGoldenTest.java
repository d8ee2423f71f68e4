package io.latimer.cli.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import io.latimer.operators.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles a grammar of English and prints every column of the golden file. */
final class GrammarCheckGoldenTest {
  @TempDir private Path folder;

  private static List<String[]> rows(Path file) throws IOException {
    return Files.readAllLines(file).stream()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("\t", -1))
        .toList();
  }

  @Test
  void printsTheGoldenColumns() throws IOException {
    Path data = SharedData.require("data/cyk");
    String index = folder.resolve("wsj0.lgx").toString();
    Run compiled =
        Run.of(
            "grammar",
            "compile",
            data.resolve("grammars/wsj0.cfg.txt").toString(),
            data.resolve("grammars/wsj0.postag.txt").toString(),
            "--out",
            index);
    assertThat(compiled.exitCode()).as(compiled.err()).isZero();
    String sentences =
        rows(data.resolve("golden/tags1000.input.tsv")).stream()
            .map(row -> row[3] + "\n")
            .collect(Collectors.joining());
    Run run = Run.withInput(sentences, "grammar", "check", "--grammar", index, "--chart");
    assertThat(run.exitCode()).as(run.err()).isZero();
    // id, words, accept, longest, accepted, bits, hash, roots
    List<String> golden =
        rows(data.resolve("golden/tags1000.wsj0.golden.tsv")).stream()
            .map(row -> String.join("\t", row[2], row[1], row[3], row[4], row[7], row[5], row[6]))
            .toList();
    assertThat(golden).hasSize(1000);
    assertThat(Arrays.asList(run.out().split("\n"))).isEqualTo(golden);
  }
}
