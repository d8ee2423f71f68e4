package io.latimer.cli.ngrams;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import java.io.ByteArrayInputStream;
import org.junit.jupiter.api.Test;

final class NgramsCommandTest {

  @Test
  void bytesAreCountedAcrossLinesAndEscaped() {
    Run run = Run.withInput("ab\nab\n", "ngrams", "--order", "2", "--device", "cpu");
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).isEqualTo("ab\t2\nb\\n\t2\n\\na\t1\n");
  }

  @Test
  void wordsAreCountedWithinLinesAndSortedAsText() {
    Run run =
        Run.withInput("b a b\r\na\tb\n\nz", "ngrams", "--words", "--order", "2", "--device", "cpu");
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).isEqualTo("a b\t2\nb a\t1\n");
  }

  /** As the stage of jobs writes them; NgramStageTest has the same words. */
  @Test
  void wordsAreEscapedLikeBytes() {
    String text = "c:\\new a\u001bb\u2028 \u00e9\ud83d\ude00";
    assertThat(Run.withInput(text, "ngrams", "--words", "--order=2", "--device=cpu").out().lines())
        .containsExactlyInAnyOrder(
            "c:\\\\new a\\x1bb\\xe2\\x80\\xa8\t1", "a\\x1bb\\xe2\\x80\\xa8 \u00e9\ud83d\ude00\t1");
  }

  @Test
  void whatIsNotUtf8IsCountedAsItIs() {
    byte[] input = {'x', (byte) 0xff, ' ', 'x', (byte) 0xfe, ' ', 'x', (byte) 0xff};
    Run run =
        Run.withInput(
            new ByteArrayInputStream(input), "ngrams", "--words", "--order=1", "--device=cpu");
    assertThat(run.out()).isEqualTo("x\\xff\t2\nx\\xfe\t1\n");
  }

  @Test
  void aLongTextAndALongLineCountAsOne() {
    String letters = "a".repeat((1 << 24) + 5);
    assertThat(Run.withInput(letters, "ngrams", "--order=8", "--device=cpu").out())
        .isEqualTo("aaaaaaaa\t" + (letters.length() - 7) + "\n");
    int words = (1 << 20) + 9;
    assertThat(
            Run.withInput("w ".repeat(words), "ngrams", "--words", "--order=3", "--device=cpu")
                .out())
        .isEqualTo("w w w\t" + (words - 2) + "\n");
  }

  @Test
  void theTopIsWhatIsAskedFor() {
    assertThat(Run.withInput("aabbbc", "ngrams", "--order=1", "--top=2", "--device=cpu").out())
        .isEqualTo("b\t3\na\t2\n");
    assertThat(Run.withInput("", "ngrams", "--order=1", "--device=cpu").out()).isEmpty();
  }

  @Test
  void whatDoesNotFitIsWrongUsage() {
    assertThat(Run.of("ngrams").exitCode()).isEqualTo(2);
    assertThat(Run.of("ngrams", "--order=9").exitCode()).isEqualTo(2);
    assertThat(Run.of("ngrams", "--order=6", "--words").exitCode()).isEqualTo(2);
    assertThat(Run.of("ngrams", "--order=5", "--strategy=v1").exitCode()).isEqualTo(2);
    assertThat(Run.of("ngrams", "--order=1", "--bytes", "--words").exitCode()).isEqualTo(2);
    assertThat(Run.of("ngrams", "--order=1", "--top=0").exitCode()).isEqualTo(2);
    assertThat(Run.of("ngrams", "--order=1", "--device=tpu").exitCode()).isEqualTo(2);
  }

  @Test
  void wordsKeepVerticalTabsAndFormFeedsAsInLmplz() {
    Run run =
        Run.withInput("a\u000bb\0c\na\fb c", "ngrams", "--words", "--order=1", "--device=cpu");
    assertThat(run.out()).isEqualTo("c\t2\na\\x0bb\t1\na\\x0cb\t1\n");
  }
}
