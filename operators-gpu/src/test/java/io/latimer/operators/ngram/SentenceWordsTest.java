package io.latimer.operators.ngram;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SentenceWordsTest {
  private static final String[] PIECES = {
    "a",
    "bc",
    "\u00e4",
    "\u20ac",
    "\ud83d\ude00",
    "\ud83d",
    "\udc00",
    " ",
    "  ",
    "\t",
    "\n",
    "\0",
    "\u00a0",
    "\u2003",
    "\u0085",
    "\u001c"
  };

  @Test
  void wordsAreWhereTheyAreInTheBytes() {
    SentenceWords words = new SentenceWords(" \u00e4b\tc  \u20ac\u00a0d\n");
    assertThat(words.size()).isEqualTo(3);
    assertThat(words.from(1)).isEqualTo(5);
    assertThat(words.to(1)).isEqualTo(6);
    assertThat(words.word(2)).isEqualTo("\u20ac\u00a0d");
    assertThat(words.words(0, 2)).isEqualTo("\u00e4b c");
    assertThat(new SentenceWords("").size()).isZero();
    assertThat(new SentenceWords(" \n").size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void wordsAreThoseOfTheStrings(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int j = random.nextInt(12); j > 0; j--) {
        text.append(PIECES[random.nextInt(PIECES.length)]);
      }
      List<String> expected = WordIds.split(text.toString());
      SentenceWords words = new SentenceWords(text.toString());
      assertThat(words.size()).isEqualTo(expected.size());
      assertThat(words.words()).containsExactlyElementsOf(expected);
      assertThat(IntStream.range(0, words.size()).mapToObj(words::word))
          .containsExactlyElementsOf(expected);
      assertThat(words.firstPlaces())
          .isEqualTo(expected.stream().mapToInt(expected::indexOf).toArray());
      for (int word = 0; word < words.size(); word++) {
        assertThat(
                new String(
                    words.utf8(),
                    words.from(word),
                    words.to(word) - words.from(word),
                    StandardCharsets.UTF_8))
            .isEqualTo(
                new String(
                    expected.get(word).getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8));
        int end = word + 1 + random.nextInt(words.size() - word);
        assertThat(words.words(word, end)).isEqualTo(String.join(" ", expected.subList(word, end)));
      }
    }
  }
}
