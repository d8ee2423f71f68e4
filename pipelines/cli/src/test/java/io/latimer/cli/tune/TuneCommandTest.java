package io.latimer.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import io.latimer.operators.smt.Feature;
import io.latimer.operators.smt.FeatureWeights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TuneCommandTest {
  /** Weights that prefer unlikely words and reversed sentences. */
  private static final FeatureWeights BAD =
      FeatureWeights.of(new double[] {-0.2, -1, 0, 0, 0, 0, 0, 1, 0, -0.1, 1});

  @TempDir private Path folder;
  private Path index;
  private Path model;
  private Path source;
  private Path target;
  private Path weights;

  @BeforeEach
  void write() throws IOException {
    Path english =
        Files.write(
            folder.resolve("en"),
            List.of(
                "the red house is old",
                "a house is old",
                "the red car is new",
                "the car is new",
                "a blue car is old",
                "the house is new"));
    Path german =
        Files.write(
            folder.resolve("de"),
            List.of(
                "das rote haus ist alt",
                "ein haus ist alt",
                "das rote auto ist neu",
                "der wagen ist neu",
                "ein blaues auto ist alt",
                "das haus ist neu"));
    Path alignment = folder.resolve("align");
    run("align", "--source=" + english, "--target=" + german, "--out=" + alignment);
    index = folder.resolve("x.lpx");
    run(
        "phrases",
        "index",
        "--source=" + english,
        "--target=" + german,
        "--alignment=" + alignment,
        "--out=" + index);
    Path arpa = folder.resolve("de.arpa");
    Run estimate =
        Run.withInput(
            Files.readString(german),
            "lm",
            "estimate",
            "--order=2",
            "--discount-fallback",
            "--out=" + arpa);
    assertThat(estimate.exitCode()).as(estimate.err()).isZero();
    model = folder.resolve("de.llm");
    run("lm", "import", "--arpa=" + arpa, "--out=" + model);
    source =
        Files.write(
            folder.resolve("dev.en"),
            List.of("a red house is new", "the blue car is old", "a car is new"));
    target =
        Files.write(
            folder.resolve("dev.de"),
            List.of("ein rote haus ist neu", "das blaues auto ist alt", "ein auto ist neu"));
    weights = Files.writeString(folder.resolve("bad.yaml"), BAD.toYaml());
  }

  private static void run(String... args) {
    Run run = Run.of(args);
    assertThat(run.exitCode()).as(run.err()).isZero();
  }

  private Run tune(String... more) {
    List<String> args =
        new ArrayList<>(
            List.of(
                "tune",
                "--phrases=" + index,
                "--lm=" + model,
                "--source=" + source,
                "--target=" + target,
                "--weights=" + weights,
                "--device=cpu"));
    args.addAll(List.of(more));
    return Run.of(args.toArray(String[]::new));
  }

  @Test
  void writesTheBestWeightsThatItFinds() throws IOException {
    Path out = folder.resolve("weights.yaml");
    Run run = tune("--out=" + out, "--iterations=6");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).isEmpty();
    List<String> lines = run.err().lines().skip(2).toList();
    assertThat(lines.get(0)).matches("iteration 1: BLEU .*, (\\d+) candidates, \\1 of them new");
    double first = bleu(lines.get(0));
    String found = lines.get(lines.size() - 2);
    double best = bleu(found);
    assertThat(best).isGreaterThan(first + 5);
    assertThat(found).matches("latimer: the weights of iteration \\d are the best, BLEU .*\\.");
    assertThat(lines.get(lines.size() - 1))
        .matches(
            "no judge of quality: there are \\d right and \\d wrong translations; at least 10 .*");
    FeatureWeights tuned = FeatureWeights.read(out);
    assertThat(tuned).isNotEqualTo(BAD);
    assertThat(Files.readAllLines(out)).hasSize(1 + Feature.COUNT);
    // the same again: its first iteration has these weights
    weights = out;
    Run again = tune("--iterations=1");
    assertThat(bleu(again.err().lines().toList().get(2))).isEqualTo(best);
    assertThat(again.out()).endsWith(tuned.toYaml());
  }

  @Test
  void theJudgeIsTrainedOnAllPairsAndWrittenWithTheWeights() throws IOException {
    Files.writeString(target, "der wagen fährt nicht\n", StandardOpenOption.APPEND);
    Files.writeString(source, "the red house is old\n", StandardOpenOption.APPEND);
    repeat(12);
    Path out = folder.resolve("judged.yaml");
    Run run = tune("--out=" + out, "--iterations=2");
    List<String> lines = run.err().lines().toList();
    assertThat(lines.get(lines.size() - 1))
        .matches(
            "judge of quality: Of 48 translations \\d+ are right\\. On those that it was not trained"
                + " on, the judge has an area under the ROC curve of [01]\\.\\d+ and a calibration"
                + " error of 0\\.\\d+\\.");
    FeatureWeights found = FeatureWeights.read(out);
    assertThat(found.judge().orElseThrow().sentences()).isEqualTo(48);
    Run translated =
        Run.withInput(
            "the house is new\n",
            "translate",
            "--phrases=" + index,
            "--lm=" + model,
            "--weights=" + out,
            "--quality");
    assertThat(translated.out()).matches(".+ \\|\\|\\| [01]\\.\\d\\d\n");
    // with tuned weights as the start, their judge is replaced
    weights = out;
    Run strict = tune("--iterations=1", "--right-from=100");
    assertThat(strict.out()).contains("  right-from: 100.0\n");
    Run none = tune("--iterations=1", "--right-from=0");
    assertThat(none.err()).contains("no judge of quality: there are 48 right and 0 wrong");
    assertThat(none.out()).doesNotContain("quality");
    assertThat(usage("--right-from=101")).contains("--right-from must be from 0 to 100");
  }

  private static double bleu(String line) {
    return Double.parseDouble(line.replaceAll(".*BLEU ([0-9]+\\.[0-9]{2}).*", "$1"));
  }

  @Test
  void theSameSeedGivesTheSameFile() {
    String file = tune("--seed=3").out();
    assertThat(tune("--seed=3", "--lm-device=cpu").out()).isEqualTo(file).startsWith("# latimer");
  }

  @Test
  void badInputLeavesTheFileAlone() throws IOException {
    Path out = Files.writeString(folder.resolve("weights.yaml"), "old");
    Files.write(target, List.of("das haus"));
    Run run = tune("--out=" + out);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualTo(
            "latimer: "
                + target
                + " ends before line 2, "
                + source
                + " does not; the two files need one line per sentence pair\n");
    assertThat(out).hasContent("old");
    assertThat(usage("--n-best=1"))
        .startsWith("latimer: --n-best must be from 2 to 10000, found 1");
    assertThat(usage("--held-out=51")).contains("--held-out must be from 0 to 50, found 51");
    assertThat(usage("--lm-device=tpu")).startsWith("latimer: device \"tpu\" is not known");
    assertThat(usage("--stack=0")).startsWith("latimer: the stack must be from 1 to 1048576");
    assertThat(usage("--iterations=0")).contains("number of iterations must be from 1 to 1000");
    assertThat(usage("--max-phrase-length=32"))
        .contains("--max-phrase-length must be from 1 to 31");
    weights = folder.resolve("none.yaml");
    assertThat(tune().err()).contains("none.yaml cannot be read: ");
  }

  private String usage(String option) {
    Run run = tune(option);
    assertThat(run.exitCode()).isEqualTo(2);
    return run.err();
  }

  @Test
  void fewPairsAreWarnedOf() throws IOException {
    assertThat(tune("--iterations=1").err().lines().limit(2))
        .containsExactly(
            "latimer: warning: 3 sentence pairs are too few to tune 11 weights: they will suit these"
                + " pairs only; use 500 or more",
            "latimer: warning: no pair is held out: 10 % of 3 are less than one");
    repeat(166);
    assertThat(tune("--iterations=1").err()).contains("warning: 498 sentence pairs are too few");
    repeat(167);
    assertThat(tune("--iterations=1").err()).doesNotContain("warning");
  }

  /** Writes the sentence pairs this many times. */
  private void repeat(int times) throws IOException {
    source = repeated("dev.en", times);
    target = repeated("dev.de", times);
  }

  private Path repeated(String file, int times) throws IOException {
    String text = Files.readString(folder.resolve(file));
    return Files.writeString(folder.resolve(times + file), text.repeat(times));
  }

  @Test
  void heldOutPairsAreNotTunedOnAndShowWhatTuningDoes() throws IOException {
    Run run = tune("--held-out=34", "--iterations=6");
    String compared = run.err().lines().toList().get(run.err().lines().toList().size() - 2);
    assertThat(compared).matches("1 held-out pair: BLEU \\S+ before, \\S+ after");
    assertThat(bleu(compared))
        .isLessThan(Double.parseDouble(compared.replaceAll(".*, (\\S+) after", "$1")));
    // without the third pair, which is held out, the weights are the same
    Path all = source;
    source = Files.write(folder.resolve("two.en"), Files.readAllLines(all).subList(0, 2));
    target = Files.write(folder.resolve("two.de"), Files.readAllLines(target).subList(0, 2));
    Run two = tune("--held-out=0", "--iterations=6");
    assertThat(two.out()).isEqualTo(run.out());
    assertThat(two.err()).doesNotContain("held-out");
  }
}
