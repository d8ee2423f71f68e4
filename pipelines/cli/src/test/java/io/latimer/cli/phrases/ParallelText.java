package io.latimer.cli.phrases;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The files of a small parallel text, and commands on them. */
record ParallelText(Path source, Path target, Path alignment) {
  static final String SOURCE = "the house\nthe small house\nthe house\na house\n";
  static final String TARGET = "das haus\ndas kleine haus\ndies haus\nein haus\n";
  static final String ALIGNMENT = "0-0 1-1\n0-0 1-1 2-2\n0-0 1-1\n0-0 1-1\n";

  /** Writes the text of the constants. */
  static ParallelText write(Path folder) throws IOException {
    return write(folder, SOURCE, TARGET, ALIGNMENT);
  }

  static ParallelText write(Path folder, String source, String target, String alignment)
      throws IOException {
    Files.createDirectories(folder);
    return new ParallelText(
        Files.writeString(folder.resolve("text.en"), source),
        Files.writeString(folder.resolve("text.de"), target),
        Files.writeString(folder.resolve("text.align"), alignment));
  }

  /** Runs {@code phrases index}, or another command that takes a text. */
  Run run(String command, String... more) {
    List<String> all = new ArrayList<>(List.of("phrases", command));
    all.addAll(List.of("--source", source.toString(), "--target", target.toString()));
    all.addAll(List.of("--alignment", alignment.toString()));
    all.addAll(List.of(more));
    return Run.of(all.toArray(String[]::new));
  }

  /** Indexes the text. */
  Path index(Path out) {
    Run run = run("index", "--out", out.toString());
    assertThat(run.exitCode()).as(run.err()).isZero();
    return out;
  }
}
