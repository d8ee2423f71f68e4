package io.latimer.operators.nmt.decode;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RepeatedIdsTest {
  private static int[] ids(String letters) {
    return letters.chars().toArray();
  }

  private static boolean atEnd(int[] ids) {
    return RepeatedIds.atEnd(ids.length, i -> ids[ids.length - 1 - i]);
  }

  @Test
  void aLoopHasSixteenIdsOrThreeTimesWhatItRepeats() {
    assertThat(atEnd(ids("a".repeat(16)))).isTrue();
    assertThat(atEnd(ids("a".repeat(15)))).isFalse();
    assertThat(atEnd(ids("xy" + "abc".repeat(5) + "a"))).isTrue();
    assertThat(atEnd(ids("xy" + "abc".repeat(5)))).isFalse();
    assertThat(atEnd(ids("abcdefghijklmnop".repeat(3)))).isTrue();
    assertThat(atEnd(ids("abcdefghijklmnop".repeat(3).substring(1)))).isFalse();
    assertThat(atEnd(ids("abcdefghijklmnopq".repeat(4)))).as("seventeen at once").isFalse();
    assertThat(atEnd(ids("a".repeat(16) + "b"))).as("it went on").isFalse();
  }

  @Test
  void anywhereIsWhatSomeEndHas() {
    Random random = new Random(1);
    int found = 0;
    for (int i = 0; i < 2000; i++) {
      int period = 1 + random.nextInt(18);
      int[] unit = random.ints(period, 0, 3).toArray();
      int from = random.nextInt(20);
      int to = from + period * (1 + random.nextInt(6)) + random.nextInt(18);
      int[] ids = random.ints(to + random.nextInt(20), 0, 3).toArray();
      IntStream.range(from, to).forEach(at -> ids[at] = unit[at % period]);
      boolean some =
          IntStream.rangeClosed(1, ids.length).anyMatch(n -> atEnd(Arrays.copyOf(ids, n)));
      assertThat(RepeatedIds.anywhere(ids)).isEqualTo(some);
      found += some ? 1 : 0;
    }
    assertThat(found).isBetween(400, 1600);
  }
}
