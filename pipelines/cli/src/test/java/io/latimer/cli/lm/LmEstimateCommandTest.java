package io.latimer.cli.lm;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LmEstimateCommandTest {
  private static final String TEXT = "a b\na b c\n\nc a\n";

  @TempDir Path folder;

  @Test
  void theModelGoesToTheOutputAndWhatItIsToTheMessages() {
    Run run = Run.withInput(TEXT, "lm", "estimate", "--order", "2", "--discount-fallback");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .startsWith("\\data\\\nngram 1=6\nngram 2=9\n\n\\1-grams:\n")
        .contains("\n0\t<s>\t")
        .contains("\ta b\n")
        .endsWith("\n\n\\end\\\n");
    assertThat(run.err())
        .startsWith("4 sentences, 7 words\n1-grams: 6  discounts could not be computed; using ")
        .contains("2-grams: 9  discounts could not be computed; using 0.5");
  }

  @Test
  void aFileIsReplacedWhenTheModelIsWhole() throws IOException {
    Path file = Files.writeString(folder.resolve("m.arpa"), "old");
    String[] command = {
      "lm",
      "estimate",
      "-o",
      "3",
      "--prune",
      "0 0 1",
      "--discount-fallback",
      "0.4 0.9 1.3",
      "--memory",
      "64K",
      "--temp",
      folder.toString(),
      "--out",
      file.toString()
    };
    Run refused = Run.withInput(TEXT + "a <unk>\n", command);
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).contains("line 5 has the word <unk>").contains("--skip-symbols");
    assertThat(file).hasContent("old");

    Run run = Run.withInput(TEXT, command);
    assertThat(run.err()).contains("3-grams: 1 of 6  discounts").contains("0.9");
    assertThat(run.out()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(Files.readString(file)).startsWith("\\data\\\n").endsWith("\\end\\\n");
    assertThat(folder).isDirectoryNotContaining(path -> !path.equals(file));
  }

  @Test
  void whatDoesNotFitIsWrongUsage() {
    assertThat(Run.of("lm").exitCode()).isEqualTo(2);
    assertThat(Run.of("lm", "estimate").exitCode()).isEqualTo(2);
    assertThat(Run.of("lm", "estimate", "-o", "9").exitCode()).isEqualTo(2);
    assertThat(Run.of("lm", "estimate", "-o", "2", "--prune", "1").exitCode()).isEqualTo(2);
    assertThat(Run.of("lm", "estimate", "-o", "2", "--prune", "0 x").exitCode()).isEqualTo(2);
    assertThat(Run.of("lm", "estimate", "-o", "2", "--memory", "lots").exitCode()).isEqualTo(2);
    assertThat(Run.of("lm", "estimate", "-o", "2", "--discount-fallback", "1 2").exitCode())
        .isEqualTo(2);
    Run tooMuch = Run.of("lm", "estimate", "-o", "2", "--memory", "900G");
    assertThat(tooMuch.exitCode()).isEqualTo(1);
    assertThat(tooMuch.err()).contains("LATIMER_JAVA_OPTS=-Xmx");
  }

  @Test
  void aMissingGpuIsAFailureAndAnUnknownDeviceWrongUsage() {
    Run missing = Run.of("lm", "estimate", "-o", "2", "--device", "gpu:99");
    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(missing.err()).contains("gpu:99").doesNotContain("--help");
    Run unknown = Run.of("lm", "estimate", "-o", "2", "--device", "tpu");
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.err()).contains("tpu", "--help");
  }

  @Test
  void withoutAFallbackASmallTextIsRefused() {
    Run run = Run.withInput(TEXT, "lm", "estimate", "-o", "2");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("discounts of 1-grams").contains("--discount-fallback");
  }

  @Test
  void wordsKeepVerticalTabsAsInLmplz() {
    Run run = Run.withInput("a\u000bb c\na d\n", "lm", "estimate", "-o=2", "--discount-fallback");
    assertThat(run.err()).startsWith("2 sentences, 4 words\n1-grams: 7 ");
    assertThat(run.out()).contains("\ta\u000bb\t").contains("\ta\u000bb c\n");
  }
}
