package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import java.time.Instant;
import java.util.List;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

class BatchScatterTest {
  @Test
  void recordsGetTheirOwnTimesAndThoseThatFailedGoAside() throws Exception {
    Envelope first = Envelopes.of("a", 30);
    Envelope refused = Envelopes.refused("b", 20);
    Envelope last = Envelopes.of("c", 10);
    OneInputStreamOperatorTestHarness<Batch, Envelope> harness =
        new OneInputStreamOperatorTestHarness<>(new BatchScatter());
    harness.open();
    harness.processElement(new Batch(List.of(first, refused, last), Instant.ofEpochMilli(1)), 10);
    assertThat(harness.getRecordOutput())
        .containsExactly(new StreamRecord<>(first, 30), new StreamRecord<>(last, 10));
    assertThat(harness.getSideOutput(Records.DEAD_LETTERS))
        .containsExactly(new StreamRecord<>(refused, 20));
    harness.close();
  }
}
