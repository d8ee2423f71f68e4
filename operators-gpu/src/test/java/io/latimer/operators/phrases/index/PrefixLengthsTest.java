package io.latimer.operators.phrases.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PrefixLengthsTest {
  private static int[] starts(int[] text, int words) {
    int[] starts = new int[words + 1];
    for (int word = 0; word <= words; word++) {
      int id = word;
      starts[word] = (int) Arrays.stream(text).filter(each -> each < id).count();
    }
    return starts;
  }

  /** Searches as {@link PhraseSearch} does, into both halves; checks every middle. */
  private static int assertMiddles(
      int[] text, int[] suffixes, int[] entries, int from, int to, int low, int high) {
    if (high - low == 1) {
      return 0;
    }
    int middle = (low + high) >>> 1;
    assertThat(PrefixLengths.withLow(entries[middle]))
        .isEqualTo(low < from ? 1 : shared(text, suffixes[low], suffixes[middle]));
    assertThat(PrefixLengths.withHigh(entries[middle]))
        .isEqualTo(high == to ? 1 : shared(text, suffixes[high], suffixes[middle]));
    return 1
        + assertMiddles(text, suffixes, entries, from, to, low, middle)
        + assertMiddles(text, suffixes, entries, from, to, middle, high);
  }

  private static int shared(int[] text, int a, int b) {
    int mismatch =
        Arrays.mismatch(
            Arrays.copyOfRange(text, a, text.length), Arrays.copyOfRange(text, b, text.length));
    return Math.min(mismatch, PrefixLengths.MAX);
  }

  private static void assertEntries(int[] text, int words) {
    int[] suffixes = SuffixArray.of(text, words);
    int[] starts = starts(text, words);
    int[] entries = PrefixLengths.of(text, suffixes, starts);
    int middles = 0;
    for (int word = 0; word < words; word++) {
      int from = starts[word];
      int to = starts[word + 1];
      middles += assertMiddles(text, suffixes, entries, from, to, from - 1, to);
    }
    assertThat(middles).as("every rank is a middle once").isEqualTo(text.length);
  }

  @Test
  void areThoseOfTheBoundsOfEverySearch() {
    Random random = new Random(2);
    for (int round = 0; round < 200; round++) {
      int words = 1 + random.nextInt(1 << random.nextInt(5));
      assertEntries(SuffixArrayTest.text(random, random.nextInt(200), words), words);
    }
  }

  @Test
  void areBounded() {
    int length = PrefixLengths.MAX + 1000;
    int[] text = new int[length];
    Arrays.fill(text, 1);
    int[] suffixes = SuffixArray.of(text, 2);
    int[] entries = PrefixLengths.of(text, suffixes, new int[] {0, 0, length});
    // Rank r is the suffix of r + 1 words; both outer bounds share the first word only.
    int middle = (length - 1) >>> 1;
    assertThat(PrefixLengths.withLow(entries[middle])).isEqualTo(1);
    int last = length - 1;
    assertThat(PrefixLengths.withHigh(entries[last])).isEqualTo(1);
    assertThat(PrefixLengths.withLow(entries[last])).isEqualTo(PrefixLengths.MAX);
  }
}
