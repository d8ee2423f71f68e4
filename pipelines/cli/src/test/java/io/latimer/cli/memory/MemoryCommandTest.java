package io.latimer.cli.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryCommandTest {
  @TempDir private Path folder;

  @Test
  void pairsBecomeAMemoryAndTheMemoryPairs() throws IOException {
    String pairs = "Do you have a sauna?\tHaben Sie eine Sauna?\n<b> & \tÄ\n";
    Path tsv = Files.writeString(folder.resolve("desk.tsv"), pairs);
    Path tmx = folder.resolve("desk.tmx");
    Run exported =
        Run.of(
            "memory",
            "export",
            tsv.toString(),
            "--source-language",
            "en",
            "--target-language",
            "de",
            "--out",
            tmx.toString());
    assertThat(exported.err()).isEmpty();
    assertThat(exported.exitCode()).isZero();
    assertThat(tmx).content().contains("creationtool=\"latimer\"", "srclang=\"en\"");
    Run imported = Run.of("memory", "import", tmx.toString());
    assertThat(imported.exitCode()).isZero();
    assertThat(imported.out()).isEqualTo(pairs.replace("& \t", "&\t"));
    Run reversed =
        Run.of(
            "memory",
            "import",
            tmx.toString(),
            "--source-language",
            "de",
            "--target-language",
            "en-GB");
    assertThat(reversed.out()).startsWith("Haben Sie eine Sauna?\tDo you have a sauna?\n");
    Run none = Run.of("memory", "import", tmx.toString(), "--target-language", "fr");
    assertThat(none.out()).isEmpty();
    assertThat(none.err()).contains("2 units lack one of the languages");
  }

  @Test
  void badFilesAreNamedWithTheLine() throws IOException {
    Path bad = Files.writeString(folder.resolve("bad.tmx"), "<tmx>\n<tu></tmx>");
    Run run = Run.of("memory", "import", bad.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("bad.tmx line 2: not TMX: ");
    Path lines = Files.writeString(folder.resolve("bad.tsv"), "a\tb\nc\n");
    run =
        Run.of(
            "memory",
            "export",
            lines.toString(),
            "--source-language",
            "en",
            "--target-language",
            "de");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .contains("bad.tsv line 2: expected a source and a target sentence, separated by a tab");
    run = Run.of("memory", "export", "-", "--source-language", "e_n", "--target-language", "de");
    assertThat(run.exitCode()).isEqualTo(2);
  }
}
