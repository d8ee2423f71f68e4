package io.latimer.cli.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.nmt.model.TranslationModel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class IndexCommandTest {
  @TempDir private Path folder;

  private Path file;

  @BeforeEach
  void write() {
    file = folder.resolve("some model.lmx");
    try (IndexFileWriter out = IndexFileWriter.create(file, TranslationModel.KIND, "2026-11")) {
      out.add("settings", "{\n  \"cells\": 2\n}".getBytes(StandardCharsets.UTF_8));
      out.add("vocab/source", "</s>\n".getBytes(StandardCharsets.UTF_8));
      out.commit();
    }
  }

  @Test
  void inspectSaysWhatTheFileIs() {
    Run run = Run.of("index", "inspect", file.toString());
    assertThat(run.exitCode()).isZero();
    assertThat(run.err()).isEmpty();
    try (IndexFile index = IndexFile.open(file)) {
      assertThat(run.out())
          .contains("kind        translation-model, format version 2\n")
          .contains("version     2026-11\n")
          .contains("content id  " + index.contentId() + "\n")
          .contains("sha256      " + index.sha256() + "\n")
          .contains("sections    2\n")
          .doesNotContain("vocab/source", "settings:");
    }
    assertThat(Run.of("index", "inspect", "--all", file.toString()).out())
        .contains("settings:\n  {\n    \"cells\": 2\n  }\n");
    assertThat(Run.of("index", "inspect", "--sections", file.toString()).out())
        .containsPattern("vocab/source +5 bytes at ");
  }

  @Test
  void aModelShowsItsLanguagesFirst() {
    String model = System.getProperty("latimer.root") + "/examples/models/tatoeba-en-de.lmx";
    Run run = Run.of("index", "inspect", model);
    assertThat(run.out().lines().limit(5))
        .containsExactly(
            "file        " + model,
            "kind        translation-model, format version 2",
            "languages   en to de",
            "network     transformer, 30,421,120 bytes of weights",
            "bytes       31,042,944");
    assertThat(run.out().lines()).hasSize(9);
    assertThat(Run.of("index", "inspect", "--all", model).out())
        .contains("\"encoderFeedForward\" : 1152", "\"maxSourceTokens\" : 100")
        .doesNotContain("more lines");
  }

  @Test
  void verifyTellsAnIntactFileFromADamagedOneAndChecksThemAll() throws IOException {
    Path model = Path.of(System.getProperty("latimer.root"), "examples/models/tatoeba-en-de.lmx");
    Files.copy(
        model, file, StandardCopyOption.REPLACE_EXISTING); // a whole model: it is opened, too
    Run intact = Run.of("index", "verify", file.toString());
    assertThat(intact.exitCode()).isZero();
    assertThat(intact.out()).isEqualTo(file + ": translation-model, intact\n");

    Path damaged = folder.resolve("damaged.lmx");
    byte[] bytes = Files.readAllBytes(file);
    try (IndexFile index = IndexFile.open(file)) {
      bytes[(int) index.sections().get(0).offset() + 5] ^= 1;
    }
    Files.write(damaged, bytes);
    Run run = Run.of("index", "verify", damaged.toString(), file.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEqualTo(file + ": translation-model, intact\n");
    assertThat(run.err())
        .startsWith("latimer: " + damaged + " is corrupt: section settings")
        .doesNotContain("\tat ");
  }

  @Test
  void whatIsNoIndexIsSaidInOneSentence() throws IOException {
    Path text = Files.writeString(folder.resolve("feed.txt"), "Good morning!");
    Run run = Run.of("index", "inspect", text.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).isEqualTo("latimer: " + text + " is not a Latimer index file\n");

    Run debug = Run.of("--debug", "index", "inspect", folder.resolve("absent").toString());
    assertThat(debug.exitCode()).isEqualTo(1);
    assertThat(debug.err()).startsWith("latimer: ").contains("absent does not exist", "\tat ");
    assertThat(Run.of("index", "inspect", text.toString(), "--debug").err()).contains("\tat ");
  }

  @Test
  void withoutAFileOrACommandItIsWrongUsage() {
    assertThat(Run.of("index").exitCode()).isEqualTo(2);
    assertThat(Run.of("index", "inspect").exitCode()).isEqualTo(2);
    assertThat(Run.of("index", "verify").err()).contains("FILE", "latimer index verify --help");
  }
}
