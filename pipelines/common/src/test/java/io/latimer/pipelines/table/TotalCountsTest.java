package io.latimer.pipelines.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.stage.TableWindows;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TotalCountsTest {
  private static final int ADDITIONS = 60;

  private final CountingStage stage = new CountingStage(new TableWindows(10, 10, 0, true));
  private final TotalCounts total = new TotalCounts(stage::merge);
  private final TableState state = new TableState();

  /** Counts of different words, of about 16 bytes each. */
  private static Map<String, Long> words(IntStream numbers) {
    Map<String, Long> counts = new TreeMap<>();
    numbers.forEach(i -> counts.merge("a word of " + (100_000 + i), 1L, Long::sum));
    return counts;
  }

  @Test
  void levelsDoubleFrom64KiB() {
    assertThat(TotalCounts.level(0)).isZero();
    assertThat(TotalCounts.level((1 << 16) - 1)).isZero();
    assertThat(TotalCounts.level(1 << 16)).isEqualTo(1);
    assertThat(TotalCounts.level((1 << 17) - 1)).isEqualTo(1);
    assertThat(TotalCounts.level(1 << 17)).isEqualTo(2);
    assertThat(TotalCounts.level(Integer.MAX_VALUE)).isEqualTo(TotalCounts.LEVELS - 1);
  }

  @Test
  void aSmallAdditionDoesNotRewriteLargeCounts() {
    total.add(state, List.of(CountingStage.bytes(words(IntStream.range(0, 50_000)))));
    long large = state.written();
    assertThat(large).isGreaterThan(800_000);
    for (int i = 0; i < 100; i++) {
      total.add(state, List.of(CountingStage.bytes(words(IntStream.range(i, i + 10)))));
    }
    assertThat(state.segments()).hasSize(2);
    assertThat(state.segments().get(0)).hasSizeLessThan(4_000);
    assertThat(state.written() - large).isLessThan(100 * 4_000);
  }

  /** Additions of any sizes; many, few or none of their words are known. */
  @ParameterizedTest
  @CsvSource({"400, 900000", "3000, 900000", "3000, 20000", "6000, 200000", "3000, 1"})
  void theyAreThoseThatWereAddedAndAreWrittenAFewTimes(int most, int vocabulary) {
    Random random = new Random(most + vocabulary);
    Map<String, Long> expected = new TreeMap<>();
    long added = 0;
    for (int i = 0; i < ADDITIONS; i++) {
      Map<String, Long> counts = words(random.ints(1 + random.nextInt(most), 0, vocabulary));
      counts.forEach((word, count) -> expected.merge(word, count, Long::sum));
      byte[] bytes = CountingStage.bytes(counts);
      added += bytes.length;
      total.add(state, List.of(bytes));
      state
          .segments()
          .forEach(
              (level, segment) -> assertThat(TotalCounts.level(segment.length)).isEqualTo(level));
      if (i % 10 == 0) {
        assertThat(CountingStage.counts(total.all(state))).isEqualTo(expected);
      }
    }
    assertThat(CountingStage.counts(total.all(state))).isEqualTo(expected);
    long levels = 1L + TotalCounts.level(CountingStage.bytes(expected).length);
    // those of level 0 are rewritten with each addition
    assertThat(state.written()).isLessThan(2 * levels * added + ((long) ADDITIONS << 16));
  }
}
