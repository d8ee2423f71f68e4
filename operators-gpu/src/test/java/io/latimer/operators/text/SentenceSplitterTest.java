package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.text.SentenceSplitter.Piece;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SentenceSplitterTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "en | I came. I saw!  Did I win? | I came. / I saw! / Did I win?",
        "en | Dr. Smith met Mrs. Jones, e.g. on Nov. 3. They spoke. | Dr. Smith met Mrs. Jones, e.g. on Nov. 3. / They spoke.",
        "en | It costs 3.50 dollars. OK? | It costs 3.50 dollars. / OK?",
        "en | See https://example.org/a?b=c!d for more. Thanks. | See https://example.org/a?b=c!d for more. / Thanks.",
        "en | He said \"Stop.\" Then he left. | He said \"Stop.\" / Then he left.",
        "en | Wait... what? | Wait... what?",
        "de | Ich kenne Hr. Dr. Maier. Er kommt z.B. Montag. | Ich kenne Hr. Dr. Maier. / Er kommt z.B. Montag.",
        "ja | 行きます。来ますか？はい。 | 行きます。 / 来ますか？ / はい。",
        "en | So am I. He is J. F. Miller. | So am I. / He is J. F. Miller.",
        "de | Wir waren hier. Am 3. Oktober nicht. | Wir waren hier. / Am 3. Oktober nicht.",
        "en | The U.S. Navy left the U.S. He knew. | The U.S. Navy left the U.S. / He knew.",
        "en | Mr. Smith of Acme Inc. Boston came at 5 p.m. Monday. | Mr. Smith of Acme Inc. Boston came at 5 p.m. Monday.",
        "en | Ask J. Smith Jr. (He knows.) He left at 9 a.m. Then he slept. | Ask J. Smith Jr. / (He knows.) / He left at 9 a.m. / Then he slept.",
        "en | Breakfast ends at 10 a.m. Please wait. Guests leave at 5 p.m. Eastern. | Breakfast ends at 10 a.m. / Please wait. / Guests leave at 5 p.m. Eastern.",
        "en | We open at 5 p.m. Guests may wait. | We open at 5 p.m. / Guests may wait.",
        "und | One. Two. | One. / Two.",
      })
  void partsSentences(String language, String text, String expected) {
    assertThat(new SentenceSplitter(language).split(text, true).stream().map(Piece::text))
        .containsExactly(expected.split(" / "));
  }

  @Test
  void keepsTheWhitespaceBetween() {
    List<Piece> pieces = new SentenceSplitter("en").split("  A b.  C d.\r\n\r\n\tE.\u2028F ", true);
    assertThat(pieces)
        .containsExactly(
            new Piece("  ", "A b."),
            new Piece("  ", "C d."),
            new Piece("\r\n\r\n\t", "E."),
            new Piece("\u2028", "F"));
  }

  @Test
  void withoutSplittingOnlyLinesPart() {
    List<Piece> pieces = new SentenceSplitter("en").split("A b. C d.\nE. F.", false);
    assertThat(pieces).containsExactly(new Piece("", "A b. C d."), new Piece("\n", "E. F."));
  }

  @Test
  void blankTextHasNoSentence() {
    assertThat(new SentenceSplitter("en").split("", true)).isEmpty();
    assertThat(new SentenceSplitter("en").split(" \n\u00a0\t\r\n ", true)).isEmpty();
  }
}
