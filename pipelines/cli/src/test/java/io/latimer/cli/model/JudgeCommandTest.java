package io.latimer.cli.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.Section;
import io.latimer.operators.nmt.model.ModelSections;
import io.latimer.operators.nmt.model.TranslationModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

  private static Run judge(Path source, Path translation, String... more) {
    return judge(MODEL, source, translation, more);
  }

  private static Run judge(Path model, Path source, Path translation, String... more) {
    List<String> args =
        new ArrayList<>(
            List.of(
                "model",
                "judge",
                "--model=" + model,
                "--source=" + source,
                "--translation=" + translation,
                "--device=cpu"));
    args.addAll(List.of(more));
    return Run.of(args.toArray(String[]::new));
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
  void saysHowWellRightIsToldFromWrong() throws IOException {
    Path source = file("d.en", "The shop is closed.\nThe shop is closed.\n");
    Path translation = file("d.de", "Der Laden ist geschlossen.\nXylophon quiz.\n");
    Path one = file("one.ref", "Der Laden ist geschlossen.\nDer Laden ist geschlossen.\n");
    Run both = judge(source, translation, "--reference=" + one);
    assertThat(both.err())
        .contains("1 translations are right and 1 wrong; 0 are neither or were not judged.")
        .contains("The area under the ROC curve is 1.000.");
    assertThat(both.exitCode()).isZero();
  }

  @Test
  void saysWhatIsMissingToTellRightFromWrong() throws IOException {
    Path source = file("e.en", "The shop is closed.\n");
    Path translation = file("e.de", "Der Laden ist geschlossen.\n");
    String right = "--reference=" + translation;
    String wrong = "--reference=" + file("wrong.ref", "Xylophon quiz.\n");
    assertThat(judge(source, translation, right).err())
        .contains("1 translations are right and 0 wrong; 0 are neither")
        .contains("only where there are some of both: use more lines")
        .doesNotContain("NaN");
    assertThat(judge(source, translation, wrong).err())
        .contains("0 translations are right and 1 wrong")
        .contains("only where there are some of both")
        .doesNotContain("NaN");
    Run unjudged = judge(withoutJudge(), source, translation, right);
    assertThat(unjudged.out()).startsWith("-\t");
    assertThat(unjudged.err())
        .contains("plain.lmx has no judge")
        .contains("\"latimer model train-quality\" gives it one")
        .doesNotContain("NaN");
  }

  /** The example model without its judge. */
  private Path withoutJudge() {
    Path out = folder.resolve("plain.lmx");
    try (IndexFile file = IndexFile.open(MODEL);
        IndexFileWriter writer =
            IndexFileWriter.create(
                out, TranslationModel.KIND.written(file.kindVersion()), file.version())) {
      for (Section section : file.sections()) {
        if (!section.name().equals(ModelSections.QUALITY)) {
          writer.add(section.name(), file.section(section.name()));
        }
      }
      writer.commit();
    }
    return out;
  }

  @Test
  void scoresAreFrom0To100AndInOrder() throws IOException {
    Path source = file("f.en", "Yes.\n");
    Path translation = file("f.de", "Ja.\n");
    assertThat(judge(source, translation, "--right-from=101").err())
        .contains("--right-from must be from 0 to 100, found 101.0");
    assertThat(judge(source, translation, "--wrong-below=-1").err())
        .contains("--wrong-below must be from 0 to 100, found -1.0");
    assertThat(judge(source, translation, "--wrong-below=NaN").err())
        .contains("--wrong-below must be from 0 to 100, found NaN");
    assertThat(judge(source, translation, "--wrong-below=61").err())
        .contains("--wrong-below must be at most --right-from, found 61.0 and 60.0");
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
    assertThat(run.err()).contains("judged.lmx: Of 200 translations").contains("ROC curve of 0.");
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
