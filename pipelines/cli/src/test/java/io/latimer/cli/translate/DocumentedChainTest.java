package io.latimer.cli.translate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands of the page on translation by phrases, as they are written there. */
@Timeout(300)
final class DocumentedChainTest {
  private static final Path ROOT = Path.of(System.getProperty("latimer.root"));
  private static final Path PAGE = ROOT.resolve("docs/operators/phrase-translation.md");

  @TempDir private Path folder;

  /** The first block of the page. */
  private static String commands() throws IOException {
    String page = Files.readString(PAGE);
    String block = page.substring(page.indexOf("\n\n    ") + 2);
    return block.substring(0, block.indexOf("\n\n")).replace("\n    ", "\n").strip() + "\n";
  }

  @Test
  void theyTranslateWithWhatShips() throws Exception {
    Files.createSymbolicLink(folder.resolve("examples"), ROOT.resolve("examples"));
    Path launcher = folder.resolve("latimer");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Files.writeString(
        launcher,
        "#!/bin/sh\nexec '"
            + java
            + "' -cp '"
            + System.getProperty("java.class.path")
            + "' io.latimer.cli.Latimer \"$@\"\n");
    assertThat(launcher.toFile().setExecutable(true)).isTrue();
    String commands = commands();
    assertThat(commands).contains("tokenize", "align", "phrases index", "lm estimate", "translate");
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    Process shell =
        new ProcessBuilder("sh", "-e", "-c", commands)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    shell.getOutputStream().close();
    assertThat(shell.waitFor()).as(Files.readString(err)).isZero();
    assertThat(Files.readString(PAGE)).contains(Files.readString(out).strip());
    assertThat(out).hasContent("Ich möchte eine tasse tee, bitte.\n");
  }
}
