package io.latimer.operators.phrases.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SuffixArrayTest {
  /** Sorts by comparing suffixes whole, the shorter first where it begins the other. */
  static int[] naive(int[] text) {
    return IntStream.range(0, text.length)
        .boxed()
        .sorted(
            Comparator.comparing(at -> Arrays.copyOfRange(text, at, text.length), Arrays::compare))
        .mapToInt(at -> at)
        .toArray();
  }

  /** Sentences of words, each with an end. */
  static int[] text(Random random, int length, int words) {
    int[] text = random.ints(length, 0, words).toArray();
    if (length > 0) {
      text[length - 1] = 0;
    }
    return text;
  }

  private static void assertSorted(int[] text, int words) {
    assertThat(SuffixArray.of(text, words)).as(Arrays.toString(text)).isEqualTo(naive(text));
  }

  @Test
  void sortsShortTextsOfFewWords() {
    for (int words = 1; words <= 3; words++) {
      for (int length = 0; length <= 7; length++) {
        int all = (int) Math.pow(words, length);
        for (int number = 0; number < all; number++) {
          int[] text = new int[length];
          for (int i = 0, rest = number; i < length; i++, rest /= words) {
            text[i] = rest % words;
          }
          assertSorted(text, words);
        }
      }
    }
  }

  @Test
  void sortsRandomTexts() {
    Random random = new Random(1);
    for (int round = 0; round < 300; round++) {
      int words = 1 + random.nextInt(1 << random.nextInt(8));
      assertSorted(text(random, random.nextInt(300), words), words + random.nextInt(5));
    }
  }

  @Test
  void sortsTextsThatRepeatThemselves() {
    assertSorted(new int[500], 1);
    assertSorted(IntStream.range(0, 500).map(i -> i % 2).toArray(), 2);
    assertSorted(IntStream.range(0, 500).map(i -> i % 7 == 0 ? 0 : 1).toArray(), 2);
    assertSorted(IntStream.range(0, 500).map(i -> Integer.bitCount(i) & 1).toArray(), 2);
    int[] fibonacci = {1};
    int[] before = {0};
    while (fibonacci.length < 500) {
      int[] next = Arrays.copyOf(fibonacci, fibonacci.length + before.length);
      System.arraycopy(before, 0, next, fibonacci.length, before.length);
      before = fibonacci;
      fibonacci = next;
    }
    assertSorted(fibonacci, 2);
  }

  @Test
  void sortsTextsOfDistinctWords() {
    assertSorted(IntStream.range(0, 300).toArray(), 300);
    assertSorted(IntStream.range(0, 300).map(i -> 299 - i).toArray(), 300);
  }

  @Test
  void refusesIdsOutOfRange() {
    assertThatThrownBy(() -> SuffixArray.of(new int[] {1, 2, 0}, 2))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> SuffixArray.of(new int[] {1, -1, 0}, 2))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }
}
