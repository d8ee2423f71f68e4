package io.latimer.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class DemoCountsTest {
  private final DemoCounts counts = new DemoCounts();

  /** Notes the records of a batch that came out of it. */
  private void batch(int size, int translated) {
    for (int i = 0; i < translated; i++) {
      counts.batchOf(size);
    }
  }

  @Test
  void theAverageIsOverBatchesNotOverTheirRecords() {
    batch(63, 63);
    batch(1, 1);
    assertThat(counts.status(64)).contains("batch 32.0 of 64");
    assertThat(counts.summary(Duration.ofSeconds(1))).contains("; batches of 32.0 on average;");
  }

  @Test
  void recordsOfABatchThatWereRefusedDoNotMakeItSmaller() {
    batch(20, 19);
    assertThat(counts.status(64)).contains("batch 20.0 of 64");
  }

  @Test
  void stagesHaveBatchesOfTheirOwn() {
    batch(4, 4); // of one stage
    batch(2, 2); // the same records in two batches of another
    batch(2, 2);
    assertThat(counts.status(64)).contains("batch 2.7 of 64"); // 8 records in 3 batches
  }

  @Test
  void nothingSeenAndSizesThatAreUnknownAreNoBatches() {
    assertThat(counts.status(64)).contains("batch 0.0 of 64");
    counts.batchOf(0);
    batch(3, 3);
    assertThat(counts.status(64)).contains("batch 3.0 of 64");
  }
}
