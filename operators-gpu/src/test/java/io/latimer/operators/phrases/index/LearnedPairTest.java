package io.latimer.operators.phrases.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.RecordException;
import org.junit.jupiter.api.Test;

class LearnedPairTest {
  private static LearnedPair pair(String source, String target, String alignment) {
    return new LearnedPair("c1", 5, source, target, alignment);
  }

  private static void assertRefused(
      String source, String target, String alignment, String message) {
    assertThatThrownBy(() -> pair(source, target, alignment))
        .isInstanceOf(RecordException.class)
        .hasMessage(message);
  }

  @Test
  void keepsOneSpaceBetweenWordsAndSortedLinks() {
    LearnedPair pair = pair("\t a  b\u0000c ", "x\ny", " 2-1 0-0\t0-1 0-0 ");
    assertThat(pair.source()).isEqualTo("a b c");
    assertThat(pair.target()).isEqualTo("x y");
    assertThat(pair.alignment()).isEqualTo("0-0 0-1 2-1");
    assertThat(pair).isEqualTo(pair("a b c", "x y", "0-0 0-1 2-1"));
    assertThat(pair("a", "x", " ").alignment()).isEmpty();
  }

  @Test
  void refusesWhatAnIndexDoesNotTake() {
    assertRefused(" ", "x", "", "the source sentence has no words");
    assertRefused("a", "\n", "", "the target sentence has no words");
    assertRefused(
        "a",
        "x \uD800",
        "",
        "the target sentence is no Unicode text; it has half of a surrogate pair");
    assertRefused(
        "a |||",
        "x",
        "",
        "word 2 of the source sentence is |||, which separates the columns of phrase tables;"
            + " escape it");
    assertRefused(
        "a ".repeat(65_535),
        "x",
        "",
        "the source sentence has 65535 words, an index takes 65534; split the sentence");
    assertThat(pair("a ".repeat(65_534), "x", "65533-0").alignment()).isEqualTo("65533-0");
  }

  /** Encoded, all such ids would be the same. */
  @Test
  void refusesAnIdThatIsNoText() {
    for (String id : new String[] {"\uD800", "a\uDC00b", "\uDC00\uD800"}) {
      assertThatThrownBy(() -> new LearnedPair(id, 0, "a", "x", ""))
          .isInstanceOf(RecordException.class)
          .hasMessage("the id is no Unicode text; it has half of a surrogate pair");
    }
    assertThat(new LearnedPair("\uD83D\uDE00", 0, "a", "x", "").id()).isEqualTo("\uD83D\uDE00");
  }

  @Test
  void refusesLinksThatAreNone() {
    assertRefused(
        "a b", "x", "0-0 x-1", "the alignment is wrong: expected points such as 3-4, found x-1");
    assertRefused(
        "a b",
        "x",
        "0-0 0-1",
        "the alignment is wrong: point 0-1 is outside of the sentence pair, which has 2 and 1"
            + " words");
    assertRefused(
        "a b",
        "x",
        "2-0",
        "the alignment is wrong: point 2-0 is outside of the sentence pair, which has 2 and 1"
            + " words");
    assertRefused(
        "a", "x", "\uD800", "the alignment is wrong: expected points such as 3-4, found ?");
  }

  @Test
  void refusesWhatIsMissing() {
    assertThatThrownBy(() -> new LearnedPair(null, 0, "a", "x", ""))
        .isInstanceOf(NullPointerException.class);
  }
}
