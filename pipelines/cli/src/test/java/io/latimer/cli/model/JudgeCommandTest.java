package io.latimer.cli.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JudgeCommandTest {
  private static final Path EXAMPLES = Path.of(System.getProperty("latimer.root"), "examples");
  private static final Path MODEL = EXAMPLES.resolve("models/tatoeba-en-de.lmx");

  @TempDir private Path folder;

  @BeforeEach
  void nameTheCheckout() {
    System.setProperty("latimer.home", System.getProperty("latimer.root"));
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private static Run judge(Path source, Path translation) {
    return Run.of(
        "model",
        "judge",
        "--model=" + MODEL,
        "--source=" + source,
        "--translation=" + translation,
        "--device=cpu");
  }

  @Test
  void aRightTranslationIsMoreProbableThanAWrongOne() throws IOException {
    Path source = file("a.en", "The shop is closed.\nThe shop is closed.\nThe shop is closed.\n");
    Path translation = file("a.de", "Der Laden ist geschlossen.\nDer Hund ist geschlossen.\n\n");
    Run run = judge(source, translation);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("line 3: the translation is empty");
    List<String> lines = run.out().lines().toList();
    assertThat(lines).hasSize(3);
    double right = Double.parseDouble(lines.get(0).split("\t", -1)[0]);
    double wrong = Double.parseDouble(lines.get(1).split("\t", -1)[0]);
    assertThat(right).isGreaterThan(0.5);
    assertThat(wrong).isLessThan(0.3);
    assertThat(lines.get(2)).isEmpty();
  }

  @Test
  void linesBelongTogether() throws IOException {
    Path source = file("b.en", "Yes.\nNo.\n");
    Path translation = file("b.de", "Ja.\n");
    Run run = judge(source, translation);
    assertThat(run.exitCode()).isNotZero();
    assertThat(run.err()).contains("has 2 lines and").contains(" 1; line N of one must be");
  }

  @Test
  void aModelIsTaughtToJudge() throws IOException {
    Path source = file("c.en", head("front-desk.en"));
    Path reference = file("c.de", head("front-desk.de"));
    Path out = folder.resolve("judged.lmx");
    Run run =
        Run.of(
            "model",
            "train-quality",
            "--model=" + MODEL,
            "--source=" + source,
            "--reference=" + reference,
            "--right-from=60",
            "--device=cpu",
            "--out=" + out);
    assertThat(run.err()).contains("judged.lmx: of 200 translations").contains("ROC curve of 0.");
    assertThat(run.exitCode()).isZero();
    assertThat(Run.of("index", "verify", out.toString()).exitCode()).isZero();
    Run translated = Run.withInput("Good morning.\n", "translate", "--model=" + out, "--quality");
    assertThat(translated.out()).matches("Guten Morgen\\. \\|\\|\\| 0\\.\\d\\d\n");
  }

  private static String head(String name) throws IOException {
    List<String> lines = Files.readAllLines(EXAMPLES.resolve("corpora/" + name));
    return String.join("\n", lines.subList(0, 200)) + "\n";
  }
}
