package io.latimer.operators.nmt.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.nmt.decode.DecodeOptions;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class SearchGrowthTest {
  private static final int LENGTH = 700;
  private static final DecodeOptions OPTIONS = DecodeOptions.beam(4).withAlignment(true);
  private static final SearchCapacity WANTED = SearchCapacity.of(OPTIONS, LENGTH);
  private static final SearchCapacity ALONE = SearchCapacity.alone(OPTIONS, LENGTH);

  /** A device of which a search may take half of what is free and of what it holds. */
  private static final class Memory {
    long free;
    long held;

    long mayTake() {
      return (free + held) / 2;
    }
  }

  @Test
  void aSearchStaysWhereAnAllocationSucceededThatFreeMemoryDenied() {
    Memory memory = new Memory();
    memory.free = 20;
    SearchGrowth growth = new SearchGrowth(OPTIONS, WANTED, memory.mayTake());
    memory.free = 0;
    memory.held = 1000;
    growth.made(memory.mayTake());
    for (int turn = 0; turn < 3; turn++) {
      assertThat(growth.couldBeLarger(ALONE, LENGTH, memory::mayTake)).isFalse();
    }
    memory.free = 1000;
    assertThat(growth.couldBeLarger(ALONE, LENGTH, memory::mayTake)).as("twice").isFalse();
    memory.free = 1010;
    assertThat(growth.couldBeLarger(ALONE, LENGTH, memory::mayTake)).as("more").isTrue();
  }

  @Test
  void aSearchGrowsWhenOthersReleaseMemory() {
    Memory memory = new Memory();
    memory.free = 1000;
    SearchGrowth growth = new SearchGrowth(OPTIONS, WANTED, memory.mayTake());
    memory.free = 600;
    memory.held = 400;
    growth.made(memory.mayTake());
    SearchCapacity half = WANTED.smaller(OPTIONS, LENGTH).orElseThrow();
    assertThat(growth.couldBeLarger(half, LENGTH, memory::mayTake)).isFalse();
    memory.free = 1700;
    assertThat(growth.couldBeLarger(half, LENGTH, memory::mayTake)).isTrue();
  }

  @Test
  void aSearchForALongSentenceAloneGivesWayToShortOnes() {
    SearchGrowth growth = new SearchGrowth(OPTIONS, WANTED, 100);
    growth.made(100);
    assertThat(growth.couldBeLarger(ALONE, LENGTH, () -> 100)).isFalse();
    assertThat(growth.couldBeLarger(ALONE, 2, () -> 100)).isTrue();
  }

  @Test
  void aSearchAsLargeAsIsOfUseStaysAndMemoryIsNotLookedAt() {
    SearchGrowth growth = new SearchGrowth(OPTIONS, WANTED, 100);
    LongSupplier memory =
        () -> {
          throw new AssertionError("looked at the device's memory");
        };
    assertThat(growth.couldBeLarger(WANTED, LENGTH, memory)).isFalse();
    assertThat(growth.couldBeLarger(WANTED, 2, memory)).isFalse();
  }
}
