package io.latimer.cli.translate;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import io.latimer.operators.smt.FeatureWeights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Translates by the phrases of the example text, whose punctuation stays at its words. */
final class TranslateByPhrasesCommandTest {
  private static final Path TEXT =
      Path.of(System.getProperty("latimer.root"), "examples", "corpora", "front-desk");

  private static final String SOURCES =
      "Please open the window.\nI always drink coffee every morning.\nMcFly has my key.\n";

  @TempDir private static Path folder;
  private static Path index;
  private static Path model;

  @BeforeAll
  static void build() throws IOException {
    index = folder.resolve("front-desk.lpx");
    model = folder.resolve("front-desk.llm");
    Path arpa = folder.resolve("front-desk.arpa");
    String target = Files.readString(Path.of(TEXT + ".de"));
    succeed(Run.withInput(target, "lm", "estimate", "--order", "3", "--out", arpa.toString()));
    succeed(Run.of("lm", "import", "--arpa", arpa.toString(), "--out", model.toString()));
    succeed(
        Run.of(
            "phrases",
            "index",
            "--source",
            TEXT + ".en",
            "--target",
            TEXT + ".de",
            "--alignment",
            TEXT + ".en-de.align",
            "--out",
            index.toString()));
  }

  private static String succeed(Run run) {
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run.out();
  }

  private static Run translate(String... more) {
    List<String> command = new ArrayList<>(List.of("translate", "--phrases", index.toString()));
    command.addAll(List.of("--lm", model.toString(), "--tokenizer", "none", "--casing", "keep"));
    command.addAll(List.of(more));
    return Run.withInput(SOURCES, command.toArray(String[]::new));
  }

  @Test
  void translatesLinesAndCopiesWhatItDoesNotKnow() {
    Run run = translate();
    assertThat(run.err()).isEmpty();
    assertThat(succeed(run).lines()).hasSize(3).first().isEqualTo("Bitte öffnen Sie das Fenster.");
    assertThat(run.out().lines().skip(2)).singleElement().asString().contains("McFly");
    assertThat(translate("--batch", "1").out()).isEqualTo(run.out());
    assertThat(translate("--device", "cpu", "--nbest", "1").out()).isEqualTo(run.out());
    assertThat(translate("--lm-device", "cpu").out()).isEqualTo(run.out());
  }

  @Test
  void listsScoresAndAlignmentsArePrintedAsForModels() {
    List<String[]> entries =
        succeed(translate("--nbest", "200", "--alignment"))
            .lines()
            .map(line -> line.split(" \\|\\|\\| ?", -1))
            .toList();
    assertThat(entries.stream().filter(fields -> fields[0].equals("0"))).hasSizeGreaterThan(64);
    for (int i = 0; i < entries.size(); i++) {
      assertThat(entries.get(i)).hasSize(5);
      assertThat(entries.get(i)[2]).matches("([0-9]+-[0-9]+ ?)+");
      if (i > 0 && entries.get(i)[0].equals(entries.get(i - 1)[0])) {
        assertThat(Double.parseDouble(entries.get(i)[4]))
            .isLessThanOrEqualTo(Double.parseDouble(entries.get(i - 1)[4]));
      }
    }
    String best = entries.get(0)[1];
    assertThat(succeed(translate("--scores"))).startsWith(best + " ||| F0= ");
  }

  @Test
  void settingsOfTheSearchAndWeightsChangeIt() throws IOException {
    String usual = translate("--scores").out();
    Path same = Files.writeString(folder.resolve("same.yaml"), FeatureWeights.DEFAULT.toYaml());
    assertThat(succeed(translate("--scores", "--weights", same.toString()))).isEqualTo(usual);
    Path other = Files.writeString(folder.resolve("other.yaml"), "words: 3\n");
    assertThat(succeed(translate("--scores", "--weights", other.toString()))).isNotEqualTo(usual);
    assertThat(succeed(translate("--scores", "--max-phrase-length", "1"))).isNotEqualTo(usual);
    String narrow =
        succeed(
            translate(
                "--scores",
                "--stack",
                "1",
                "--distortion-limit",
                "0",
                "--translations-per-phrase",
                "1",
                "--sample",
                "1"));
    assertThat(narrow).isNotEqualTo(usual);
  }

  @Test
  void theQualityIsPrintedIfTheWeightsHaveAJudge() throws IOException {
    List<String> texts = succeed(translate()).lines().toList();
    List<String> judged = succeed(translate("--quality")).lines().toList();
    for (int i = 0; i < texts.size(); i++) {
      assertThat(judged.get(i)).startsWith(texts.get(i)).matches(".* \\|\\|\\| [01]\\.[0-9]{2}");
    }
    Path bare =
        Files.writeString(
            folder.resolve("bare.yaml"),
            FeatureWeights.DEFAULT.judgedBy(Optional.empty()).toYaml());
    assertThat(succeed(translate("--quality", "--weights", bare.toString())).lines())
        .containsExactlyElementsOf(texts.stream().map(text -> text + " ||| ").toList());
    assertThat(translate("--quality", "--nbest", "2").err())
        .contains("--quality and --flags are about one translation of a line");
  }

  @Test
  void aWrongFeatureIsRefusedWithTheNearestName() throws IOException {
    Path wrong = Files.writeString(folder.resolve("wrong.yaml"), "language-modle: 1\n");
    Run run = translate("--weights", wrong.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualTo(
            "latimer: "
                + wrong
                + ", line 1: \"language-modle\" is no feature; did you mean \"language-model\"?\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--phrases INDEX|--phrases needs --lm, a language model of the target language.",
        "--lm MODEL|--lm is for translating by phrases; it needs --phrases.",
        "--lm-device cpu|--lm-device is for translating by phrases; it needs --phrases.",
        "--phrases INDEX --lm MODEL --lm-device tpu|device \"tpu\" is not known; use cpu, auto, gpu or"
            + " gpu:N",
        "--stack 5|--stack is for translating by phrases; it needs --phrases.",
        "--phrases INDEX --lm MODEL --model x.lmx|--model is for neural models, and --phrases"
            + " translates without one; leave out one of them.",
        "--phrases INDEX --lm MODEL --beam 5|--beam is for neural models, and --phrases translates"
            + " without one; leave out one of them.",
        "--casing keep|--casing needs --phrases or --memory.",
        "--memory INDEX --casing truecase|the casing of a phrase index must be keep or lower",
        "--phrases INDEX --lm MODEL --memory INDEX|--memory is for neural models, and --phrases"
            + " translates without one; leave out one of them.",
        "--phrases INDEX --lm MODEL --stack 0|the stack must be from 1 to 1048576, found 0",
        "--phrases INDEX --lm MODEL --nbest 0|the n-best must be from 1 to 10000, found 0",
        "--phrases INDEX --lm MODEL --casing truecase|the casing of a phrase index must be keep or"
            + " lower",
        "--phrases INDEX --lm MODEL --sample -1|samples must be 0 or more, found -1",
        "--phrases INDEX --lm MODEL --source-language en_GB|--source-language: \"en_GB\" is not a"
            + " language tag; write en-GB.",
      })
  void wrongUsageIsExplained(String options, String message) {
    String given = options.replace("INDEX", index.toString()).replace("MODEL", model.toString());
    Run run = Run.of(("translate " + given).split(" ", -1));
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("latimer: " + message);
  }

  @Test
  void aModelMayHaveAMemory() {
    System.setProperty("latimer.home", System.getProperty("latimer.root"));
    String[] memory = {
      "translate", "--memory", index.toString(), "--tokenizer", "none", "--casing", "keep"
    };
    String lines = "You left your lights on.\nThe red house is small.\n";
    String expected = "Sie haben Ihr Licht angelassen."; // as in the text
    assertThat(succeed(Run.withInput(lines, memory)).lines())
        .hasSize(2)
        .first()
        .isEqualTo(expected);
    assertThat(succeed(Run.withInput(lines, "translate")).lines()).first().isNotEqualTo(expected);
    assertThat(succeed(Run.withInput(lines, memory)).lines().skip(1))
        .containsExactlyElementsOf(
            succeed(Run.withInput(lines, "translate")).lines().skip(1).toList());
  }

  @Test
  void aMissingDeviceOfTheLanguageModelIsAFailure() {
    Run run = translate("--device", "cpu", "--lm-device", "gpu:99");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).startsWith("latimer: device gpu:99");
  }

  @Test
  void filesOfOtherKindsAreRefused() {
    Run swapped = Run.of("translate", "--phrases", model.toString(), "--lm", index.toString(), "-");
    assertThat(swapped.exitCode()).isEqualTo(1);
    assertThat(swapped.err()).contains("phrase-index").contains("language-model");
  }
}
