package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.record.HangingRecordException;
import io.latimer.schemas.Envelope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A record on which a stage hangs costs a few restarts, and then is a dead letter. */
@Timeout(180)
class HangingRecordTest {
  private static final int RECORDS = 40;
  private static final int ATTEMPTS = 2;

  /** Long enough for a batch that does not hang, on any machine. */
  private static final Duration LIMIT = Duration.ofSeconds(3);

  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  private static AtomicInteger together;
  private static AtomicInteger alone;
  private static AtomicInteger abandoned;
  private static AtomicBoolean failsOnce;

  @TempDir Path folder;

  /** A stage named {@code work} that counts the calls that are given up. */
  private static class Work extends TestStage {
    private static final long serialVersionUID = 1L;

    Work(Before before) {
      super("work", before);
    }

    @Override
    public void abandon() {
      abandoned.incrementAndGet();
    }
  }

  /** One that cannot give up a call. */
  private static final class FailingWork extends Work {
    private static final long serialVersionUID = 1L;

    FailingWork(Before before) {
      super(before);
    }

    @Override
    public void abandon() {
      super.abandon();
      throw new NoClassDefFoundError("as the test wants");
    }
  }

  @BeforeEach
  void reset() throws Exception {
    together = new AtomicInteger();
    alone = new AtomicInteger();
    abandoned = new AtomicInteger();
    failsOnce = new AtomicBoolean();
    Files.write(folder.resolve("in"), Jobs.numbered(RECORDS));
  }

  /** Hangs, and fails once on the records after the one that was given up. */
  private static void hangThenFail(List<Envelope> batch) throws InterruptedException {
    hang(batch);
    if (alone.get() > 0
        && !Envelopes.texts(batch).contains("sentence 20")
        && failsOnce.compareAndSet(false, true)) {
      throw new IllegalStateException("another failure");
    }
  }

  private static void hang(List<Envelope> batch) throws InterruptedException {
    if (Envelopes.texts(batch).contains("sentence 20")) {
      (batch.size() == 1 ? alone : together).incrementAndGet();
      // ends in the end, so that the task need not wait until it abandons the device's thread
      Thread.sleep(LIMIT.plusSeconds(1).toMillis());
    }
  }

  @Test
  void aRecordThatHangsBecomesADeadLetterAndTheOthersPass() throws Exception {
    expectDeadLetterOfWork(new Work(HangingRecordTest::hang));
  }

  /** The task starts again before the dead letter is written, and does not try the record again. */
  @Test
  void itIsADeadLetterOfTheStageThatHungAfterAnotherFailureToo() throws Exception {
    expectDeadLetterOfWork(
        ATTEMPTS + 1,
        new TestStage("first", batch -> {}),
        new Work(HangingRecordTest::hangThenFail),
        new TestStage("last", batch -> {}));
    assertThat(failsOnce).isTrue();
  }

  @Test
  void itIsADeadLetterOfTheStageOfAGroupThatHangs() throws Exception {
    expectDeadLetterOfWork(
        new TestStage("first", batch -> {}),
        new Work(HangingRecordTest::hang),
        new TestStage("last", batch -> {}));
  }

  /** The timer that gives up a call keeps what it meets for itself. */
  @Test
  void anErrorOnGivingUpACallDoesNotKeepTheTimeOutFromTheTask() throws Exception {
    expectDeadLetterOfWork(new FailingWork(HangingRecordTest::hang));
  }

  private void expectDeadLetterOfWork(TestStage... stages) throws Exception {
    expectDeadLetterOfWork(ATTEMPTS, stages); // no restart for the time-out of the record alone
  }

  private void expectDeadLetterOfWork(int restarts, TestStage... stages) throws Exception {
    String source = Jobs.from(folder.resolve("in"));
    JobConfig job =
        Jobs.timingOut(
            Jobs.job(source, Jobs.text(folder.resolve("out")), Jobs.text(folder.resolve("dead"))),
            LIMIT,
            ATTEMPTS,
            restarts);

    JobClient client = CLUSTER.start(job, stages);
    client.getJobExecutionResult().get();

    assertThat(together).hasValue(ATTEMPTS);
    assertThat(alone).hasValue(1);
    assertThat(abandoned).hasValue(ATTEMPTS + 1);
    List<String> others =
        Jobs.numbered(RECORDS).stream()
            .filter(text -> !text.equals("sentence 20"))
            .map(text -> text.toUpperCase(Locale.ROOT))
            .toList();
    assertThat(Jobs.lines(folder.resolve("out"))).containsExactlyInAnyOrderElementsOf(others);
    assertThat(Jobs.lines(folder.resolve("dead")))
        .singleElement()
        .asString()
        .contains("\"original\":\"sentence 20\"")
        .contains("\"stage\":\"work\"")
        .contains("\"errorClass\":\"" + HangingRecordException.class.getName())
        .contains("after 2 batches with it had timed out");
  }
}
