package io.latimer.cli.align;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AlignCommandTest {
  private static final String ALIGNED = "0-0 1-1\n0-0 1-1 2-2\n0-0 1-1\n0-0 1-1 2-2\n0-0\n";

  @TempDir private Path folder;
  private Path source;
  private Path target;

  @BeforeEach
  void write() throws IOException {
    source = folder.resolve("en");
    Files.write(source, List.of("the house", "the red house", "the car", "a red car", "house"));
    target = folder.resolve("de");
    Files.write(target, List.of("das haus", "das rote haus", "das auto", "ein rotes auto", "haus"));
  }

  private Run align(String... more) {
    List<String> args =
        new ArrayList<>(
            List.of("align", "--source", source.toString(), "--target", target.toString()));
    args.addAll(List.of(more));
    return Run.of(args.toArray(String[]::new));
  }

  @Test
  void writesALineForEachPair() throws IOException {
    Run run = align();
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).isEqualTo(ALIGNED);
    assertThat(run.err()).isEqualTo("latimer: aligned 5 sentence pairs.\n");
    Path out = folder.resolve("align");
    assertThat(align("--out", out.toString()).out()).isEmpty();
    assertThat(out).hasContent(ALIGNED);
  }

  @Test
  void aPhraseIndexTakesTheLines() {
    Path alignment = folder.resolve("align");
    align("--out", alignment.toString());
    Run index =
        Run.of(
            "phrases",
            "index",
            "--source=" + source,
            "--target=" + target,
            "--alignment=" + alignment,
            "--out=" + folder.resolve("x.lpx"));
    assertThat(index.exitCode()).as(index.err()).isZero();
    Run query =
        Run.withInput("the red car", "phrases", "query", "--index=" + folder.resolve("x.lpx"));
    assertThat(query.exitCode()).as(query.err()).isZero();
    assertThat(query.out()).contains("red car ||| rotes auto");
  }

  @Test
  void emptySentencesAreCounted() throws IOException {
    Files.write(source, List.of("a", "", "b"));
    Files.write(target, List.of("x", "y", ""));
    Run run = align();
    assertThat(run.out()).isEqualTo("0-0\n\n\n");
    assertThat(run.err())
        .isEqualTo(
            "latimer: aligned 3 sentence pairs.\n"
                + "latimer: warning: 2 of them have no links, because a sentence is empty or both"
                + " are too long.\n");
  }

  @Test
  void badInputLeavesTheFileAlone() throws IOException {
    Path out = Files.writeString(folder.resolve("align"), "old");
    Files.write(target, List.of("das haus"));
    Run run = align("--out", out.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualTo(
            "latimer: "
                + target
                + " ends before line 2, "
                + source
                + " does not; the two files need one line per sentence pair\n");
    assertThat(out).hasContent("old");
    assertThat(folder.toFile().list()).hasSize(3);
    Run zero = align("--iterations=0");
    assertThat(zero.exitCode()).isEqualTo(2);
    assertThat(zero.err()).startsWith("latimer: --iterations: iterations must be 1 to 1000, are 0");
  }
}
