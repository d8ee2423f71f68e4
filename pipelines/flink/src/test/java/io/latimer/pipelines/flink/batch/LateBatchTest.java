package io.latimer.pipelines.flink.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.Envelopes;
import io.latimer.pipelines.flink.TestStage;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.schemas.Batch;
import io.latimer.schemas.Envelope;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperatorFactory;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A batch whose time is over while the stages after it are busy. */
@Timeout(60)
class LateBatchTest {
  /** Batches that keep the stages busy. */
  private static final int BUSY = 2;

  /** The batches that the stages work on, which end one by one. */
  private static final Queue<CountDownLatch> AT_WORK = new ConcurrentLinkedQueue<>();

  private OneInputStreamOperatorTestHarness<Batch, Batch> stages;
  private OneInputStreamOperatorTestHarness<Envelope, Batch> gatherer;
  private MailboxExecutor mailbox;
  private ChainedStages.Key key;
  private String group;

  @BeforeEach
  void open() throws Exception {
    AT_WORK.clear();
    open(new TestStage("work", BUSY, batch -> hold()));
  }

  private void open(BatchStage... of) throws Exception {
    group = StageGroup.name(List.of(of));
    TypeSerializer<Batch> serializer = Records.BATCH.createSerializer(new SerializerConfigImpl());
    stages =
        new OneInputStreamOperatorTestHarness<>(
            new AsyncWaitOperatorFactory<>(
                new StageFunction("job", List.of(of), Duration.ofMinutes(1), 3),
                0,
                8,
                AsyncDataStream.OutputMode.ORDERED),
            serializer);
    stages.setup(serializer);
    stages.open();

    BatchGatherer operator = new BatchGatherer(group, BatchGathererTest.LIMITS);
    gatherer = new OneInputStreamOperatorTestHarness<>(operator);
    gatherer.setup();
    // of the task; the harness has another one
    mailbox = operator.getContainingTask().getMailboxExecutorFactory().createExecutor(0);
    // a harness is a job of its own
    key = key(gatherer);
    ChainedStages.OPEN.put(key, ChainedStages.OPEN.get(key(stages)));
    gatherer.open();
    gatherer.setProcessingTime(1_000);
  }

  private ChainedStages.Key key(OneInputStreamOperatorTestHarness<?, ?> harness) {
    return new ChainedStages.Key(harness.getEnvironment().getJobID(), group, 0, 0);
  }

  @AfterEach
  void close() throws Exception {
    while (!AT_WORK.isEmpty()) {
      AT_WORK.remove().countDown();
    }
    ChainedStages.OPEN.remove(key);
    gatherer.close();
    stages.close();
  }

  private static void hold() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    AT_WORK.add(end);
    end.await();
  }

  /**
   * Keeps the stages busy.
   *
   * @param atWork batches that they work on meanwhile
   */
  private void keepBusy(int atWork) throws Exception {
    for (int i = 0; i < BUSY; i++) {
      assertThat(ChainedStages.OPEN.get(key).areBusy()).isFalse();
      gather("busy " + i);
      gatherer.setProcessingTime(gatherer.getProcessingTime() + 50);
      stages.processElement(gatherer.extractOutputValues().get(i), 0);
    }
    while (AT_WORK.size() < atWork || !ChainedStages.OPEN.get(key).areBusy()) {
      Thread.onSpinWait();
    }
  }

  private void gather(String... texts) throws Exception {
    for (String text : texts) {
      gatherer.processElement(Envelopes.of(text, 0), 0);
    }
  }

  /** The texts of the batches after those that keep the stages busy. */
  private List<List<String>> batches() {
    return gatherer.extractOutputValues().stream()
        .skip(BUSY)
        .map(batch -> Envelopes.texts(batch.getEnvelopes()))
        .toList();
  }

  @Test
  void itGrowsUntilAThreadIsFree() throws Exception {
    keepBusy(BUSY);
    gather("a");
    gatherer.setProcessingTime(gatherer.getProcessingTime() + 50);
    gather("b");
    gatherer.setProcessingTime(gatherer.getProcessingTime() + 1_000);
    assertThat(batches()).isEmpty();
    AT_WORK.remove().countDown();
    while (batches().isEmpty()) {
      mailbox.yield();
    }
    assertThat(batches()).containsExactly(List.of("a", "b"));
  }

  /** There is a thread for it, but the one before it waits for its turn in a stage. */
  @Test
  void itGrowsUntilNoBatchWaitsForAStage() throws Exception {
    close();
    TestStage quick = new TestStage("quick", 2, batch -> {});
    open(new TestStage("slow", batch -> hold()), quick);
    keepBusy(1);
    gather("a");
    gatherer.setProcessingTime(gatherer.getProcessingTime() + 50);
    gather("b");
    assertThat(batches()).isEmpty();
    AT_WORK.remove().countDown(); // the next one's turn
    while (batches().isEmpty()) {
      mailbox.yield();
    }
    assertThat(batches()).containsExactly(List.of("a", "b"));
  }

  @Test
  void aBatchWhoseTimeIsNotOverWaitsThoughAThreadIsFree() throws Exception {
    keepBusy(BUSY);
    gather("a");
    AT_WORK.remove().countDown();
    while (ChainedStages.OPEN.get(key).areBusy()) {
      Thread.onSpinWait();
    }
    assertThat(batches()).isEmpty();
    gatherer.setProcessingTime(gatherer.getProcessingTime() + 50);
    assertThat(batches()).containsExactly(List.of("a"));
  }

  @Test
  void itClosesWhenItIsFull() throws Exception {
    keepBusy(BUSY);
    gather("a");
    gatherer.setProcessingTime(gatherer.getProcessingTime() + 50);
    gather("b", "c", "d");
    assertThat(batches()).containsExactly(List.of("a", "b", "c"));
    // the time of the next batch begins with its first record
    AT_WORK.remove().countDown();
    while (ChainedStages.OPEN.get(key).areBusy()) {
      Thread.onSpinWait();
    }
    assertThat(mailbox.tryYield()).isFalse();
    assertThat(batches()).hasSize(1);
  }

  @Test
  void aBarrierClosesIt() throws Exception {
    keepBusy(BUSY);
    gather("a");
    gatherer.setProcessingTime(gatherer.getProcessingTime() + 50);
    gatherer.prepareSnapshotPreBarrier(1);
    assertThat(batches()).containsExactly(List.of("a"));
  }

  @Test
  void theEndOfTheInputClosesIt() throws Exception {
    keepBusy(BUSY);
    gather("a");
    gatherer.setProcessingTime(gatherer.getProcessingTime() + 50);
    gatherer.endInput();
    assertThat(batches()).containsExactly(List.of("a"));
  }
}
