package io.latimer.operators.phrases.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LearnedPairsTest {
  private static LearnedPair pair(int number) {
    return new LearnedPair("c" + number, number, "a b", "x y" + number, "0-0");
  }

  private static List<LearnedPair> pairs(int from, int to) {
    return IntStream.range(from, to).mapToObj(LearnedPairsTest::pair).toList();
  }

  @Test
  void areNumberedFromTheFirst() {
    LearnedPairs none = LearnedPairs.none(3);
    LearnedPairs five = none.with(pairs(3, 5)).with(List.of()).with(pairs(5, 8));
    assertThat(none.isEmpty()).isTrue();
    assertThat(none.from()).isEqualTo(3);
    assertThat(none.to()).isEqualTo(3);
    assertThat(five.isEmpty()).isFalse();
    assertThat(five.from()).isEqualTo(3);
    assertThat(five.to()).isEqualTo(8);
    assertThat(five.size()).isEqualTo(5);
    assertThat(five.pairs()).isEqualTo(pairs(3, 8));
    assertThat(five.get(3)).isEqualTo(pair(3));
    assertThat(five.get(7)).isEqualTo(pair(7));
    for (long wrong : new long[] {-1, 2, 8, 3L + (1L << 32)}) {
      assertThatThrownBy(() -> five.get(wrong)).isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThatThrownBy(() -> LearnedPairs.none(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> five.pairs().set(0, pair(1)))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void areCutAtANumber() {
    LearnedPairs five = LearnedPairs.none(3).with(pairs(3, 8));
    assertThat(five.startingAt(5)).isEqualTo(LearnedPairs.none(5).with(pairs(5, 8)));
    assertThat(five.startingAt(3)).isSameAs(five);
    assertThat(five.startingAt(8)).isEqualTo(LearnedPairs.none(8));
    assertThat(five.endingAt(5)).isEqualTo(LearnedPairs.none(3).with(pairs(3, 5)));
    assertThat(five.endingAt(8)).isSameAs(five);
    assertThat(five.endingAt(3)).isEqualTo(LearnedPairs.none(3));
    for (long wrong : new long[] {2, 9}) {
      assertThatThrownBy(() -> five.startingAt(wrong))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> five.endingAt(wrong)).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void theDigestIsOfTheNumbersAndAllFields() {
    LearnedPairs two = LearnedPairs.none().with(pairs(0, 2));
    assertThat(two.digest()).matches("[0-9a-f]{64}");
    assertThat(LearnedPairs.none().with(pairs(0, 1)).with(pairs(1, 2))).isEqualTo(two);
    Set<String> digests = new HashSet<>();
    List<LearnedPairs> different =
        List.of(
            LearnedPairs.none(),
            LearnedPairs.none(1),
            two,
            two.endingAt(1),
            LearnedPairs.none(1).with(pairs(0, 2)),
            one("b", 1, "a b", "x y", "0-0"),
            one("a", 2, "a b", "x y", "0-0"),
            one("a", 1, "a b c", "x y", "0-0"),
            one("a", 1, "a b", "x z", "0-0"),
            one("a", 1, "a b", "x y", "0-1"),
            one("a", 1, "a", "b x y", "0-0"));
    different.forEach(each -> digests.add(each.digest()));
    assertThat(digests).hasSameSizeAs(different);
    assertThat(new HashSet<>(different)).hasSameSizeAs(different);
  }

  private static LearnedPairs one(
      String id, long time, String source, String target, String alignment) {
    return LearnedPairs.none().with(List.of(new LearnedPair(id, time, source, target, alignment)));
  }
}
