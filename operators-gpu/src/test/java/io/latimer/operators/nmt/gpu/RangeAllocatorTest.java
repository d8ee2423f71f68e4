package io.latimer.operators.nmt.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RangeAllocatorTest {
  @Test
  void takesTheFirstRangeThatIsLongEnough() {
    RangeAllocator ranges = new RangeAllocator(100);
    assertThat(ranges.allocate(10)).isEqualTo(0);
    assertThat(ranges.allocate(20)).isEqualTo(10);
    assertThat(ranges.allocate(30)).isEqualTo(30);
    ranges.free(0, 10);
    assertThat(ranges.allocate(11)).isEqualTo(60);
    assertThat(ranges.allocate(9)).isEqualTo(0);
    assertThat(ranges.allocate(30)).isEqualTo(RangeAllocator.NONE);
    assertThat(ranges.free()).isEqualTo(30);
  }

  @Test
  void mergesWhatIsGivenBackWithItsNeighbours() {
    RangeAllocator ranges = new RangeAllocator(40);
    for (int i = 0; i < 4; i++) {
      ranges.allocate(10);
    }
    ranges.free(0, 10);
    ranges.free(20, 10);
    assertThat(ranges.pieces()).isEqualTo(2);
    assertThat(ranges.allocate(20)).isEqualTo(RangeAllocator.NONE);
    ranges.free(10, 10);
    assertThat(ranges.pieces()).isEqualTo(1);
    ranges.free(30, 10);
    assertThat(ranges.pieces()).isEqualTo(1);
    assertThat(ranges.allocate(40)).isEqualTo(0);
  }

  @Test
  void anEmptyRangeTakesNothing() {
    RangeAllocator ranges = new RangeAllocator(0);
    assertThat(ranges.allocate(0)).isZero();
    ranges.free(0, 0);
    assertThat(ranges.allocate(1)).isEqualTo(RangeAllocator.NONE);
  }

  @Test
  void refusesWhatWasNotTaken() {
    RangeAllocator ranges = new RangeAllocator(40);
    ranges.allocate(20);
    assertThatThrownBy(() -> ranges.free(10, 20)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ranges.free(30, 11)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ranges.free(-1, 2)).isInstanceOf(IllegalArgumentException.class);
    ranges.free(5, 5);
    assertThatThrownBy(() -> ranges.free(8, 4)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ranges.allocate(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThat(ranges.free()).isEqualTo(25);
  }

  @Test
  void rangesNeverOverlapAndAllComesBack() {
    Random random = new Random(1);
    RangeAllocator ranges = new RangeAllocator(1000);
    BitSet taken = new BitSet();
    List<long[]> held = new ArrayList<>();
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      if (random.nextInt(100) < 55) {
        int length = 1 + random.nextInt(60);
        int start = (int) ranges.allocate(length);
        if (start == RangeAllocator.NONE) {
          refused++;
          assertThat(longestGap(taken)).isLessThan(length);
        } else {
          assertThat(taken.get(start, start + length).isEmpty()).isTrue();
          taken.set(start, start + length);
          held.add(new long[] {start, length});
        }
      } else if (!held.isEmpty()) {
        long[] range = held.remove(random.nextInt(held.size()));
        ranges.free(range[0], range[1]);
        taken.clear((int) range[0], (int) (range[0] + range[1]));
      }
      assertThat(ranges.free()).isEqualTo(1000 - taken.cardinality());
    }
    assertThat(refused).isGreaterThan(100);
    held.forEach(range -> ranges.free(range[0], range[1]));
    assertThat(ranges.pieces()).isEqualTo(1);
    assertThat(ranges.allocate(1000)).isZero();
  }

  private static int longestGap(BitSet taken) {
    int longest = 0;
    for (int from = taken.nextClearBit(0); from < 1000; ) {
      int to = taken.nextSetBit(from);
      int end = to < 0 ? 1000 : to;
      longest = Math.max(longest, end - from);
      from = taken.nextClearBit(end);
    }
    return longest;
  }
}
