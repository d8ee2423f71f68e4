package io.latimer.pipelines.flink.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.Envelopes;
import io.latimer.pipelines.flink.control.GroupCommandsTest;
import io.latimer.schemas.Envelope;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimedOutRecordsTest {
  private final GroupCommandsTest.Master master = new GroupCommandsTest.Master();

  private TimedOutRecords start() throws Exception {
    return new TimedOutRecords("translate", master);
  }

  private static List<Envelope> records(int from, int to) {
    List<Envelope> records = new ArrayList<>();
    for (int i = from; i < to; i++) {
      records.add(Envelopes.of("sentence " + i, i));
    }
    return records;
  }

  @Test
  void aTaskThatStartsKnowsWhatTimedOutBefore() throws Exception {
    TimedOutRecords before = start();
    assertThat(before.timedOut(records(0, 3), "translate")).isEqualTo(1);
    assertThat(before.timedOut(records(2, 4), "score")).isEqualTo(2);
    TimedOutRecords after = start();
    assertThat(records(0, 5).stream().map(after::count)).containsExactly(1, 1, 2, 1, 0);
    assertThat(after.lastStage(records(2, 3).get(0))).isEqualTo("score");
    after.forget(records(0, 2));
    assertThat(records(0, 5).stream().map(start()::count)).containsExactly(0, 0, 2, 1, 0);
  }

  /** Those on which a stage hangs are never finished, and a job may run for years. */
  @Test
  void onlyTheLastRecordsAreCounted() throws Exception {
    int batch = 1 << 12;
    TimedOutRecords records = start();
    for (int from = 0; from < 2 * TimedOutRecords.MOST; from += batch) {
      assertThat(records.timedOut(records(from, from + batch), "translate")).isEqualTo(1);
      assertThat(records.timedOut(records(0, 1), "translate")).isGreaterThan(1); // comes again
    }
    TimedOutRecords after = start();
    assertThat(records(0, 2).stream().map(after::count))
        .containsExactly(1 + 2 * TimedOutRecords.MOST / batch, 0);
    int last = 2 * TimedOutRecords.MOST;
    assertThat(records(1, last).stream().filter(one -> after.count(one) > 0).count())
        .isEqualTo(TimedOutRecords.MOST - 1);
    assertThat(after.count(records(last - 1, last).get(0))).isEqualTo(1);
    assertThat(master.largest()).isBetween(1_000_000, 3_000_000); // Flink's limit is 10 MB
  }

  @Test
  void theAnswerToATimeOutHasItsRecordsOnly() throws Exception {
    TimedOutRecords records = start();
    records.timedOut(records(0, 1_000), "translate");
    int largest = master.largest();
    for (int i = 0; i < 10; i++) {
      records.timedOut(records(1_000 * (i + 1), 1_000 * (i + 2)), "translate");
    }
    assertThat(master.largest()).isLessThan(2 * largest);
  }
}
