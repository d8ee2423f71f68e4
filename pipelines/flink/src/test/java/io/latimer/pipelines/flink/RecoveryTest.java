package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.Envelope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class RecoveryTest {
  /** So few that no batch has to wait for capacity. */
  private static final int RECORDS = 70;

  private static final String OLD = "a".repeat(64);
  private static final String NEW = "b".repeat(64);

  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  /** The first texts of the stage's batches, over all attempts. */
  private static List<String> begun;

  private static AtomicInteger batches;
  private static CountDownLatch reached;
  private static CountDownLatch passed;
  private static CountDownLatch goOn;

  @TempDir Path folder;

  @BeforeEach
  void reset() throws Exception {
    begun = Collections.synchronizedList(new ArrayList<>());
    batches = new AtomicInteger();
    reached = new CountDownLatch(1);
    passed = new CountDownLatch(1);
    goOn = new CountDownLatch(1);
    Files.write(folder.resolve("in"), Jobs.numbered(RECORDS));
  }

  @Test
  void batchesInFlightComeBackAfterAFailureAndNothingIsDoubled() throws Exception {
    JobClient job = CLUSTER.start(job(1), new TestStage("work", RecoveryTest::failInTheThirdBatch));
    reached.await();
    // the third batch is on the device and the others wait: this checkpoint contains them
    CLUSTER.checkpoint(job.getJobID());
    goOn.countDown();
    awaitOutput();
    end(job);
    assertThat(Jobs.lines(out())).containsExactlyInAnyOrderElementsOf(expected());
    // in the checkpoint, earlier batches are done and the failed one is in flight
    assertThat(begun.get(3)).isEqualTo(begun.get(2));
    assertThat(begun.subList(4, begun.size())).doesNotContainAnyElementsOf(begun.subList(0, 4));
  }

  @Test
  void batchesThatAreWorkedOnAtOnceComeBackTooAndNothingIsDoubled() throws Exception {
    JobClient job =
        CLUSTER.start(job(1), new TestStage("work", 2, RecoveryTest::failInTheThirdBatch));
    reached.await();
    // the third batch is on the device, where the fourth has overtaken it: both are in flight
    passed.await();
    CLUSTER.checkpoint(job.getJobID());
    goOn.countDown();
    awaitOutput();
    end(job);
    assertThat(Jobs.lines(out())).containsExactlyInAnyOrderElementsOf(expected());
  }

  @Test
  void aSavepointIsRestoredWithOtherParallelism() throws Exception {
    String savepoint = savepoint(new TestStage("work", RecoveryTest::waitInTheThirdBatch));
    JobClient job = CLUSTER.restore(savepoint, job(2), new TestStage("work", batch -> {}));
    awaitOutput();
    end(job);
    assertThat(Jobs.lines(out())).containsExactlyInAnyOrderElementsOf(expected());
  }

  /** As the group has the uids of its first stage. */
  @Test
  void aStageMayBeAppendedToOneWithBatchesInFlight() throws Exception {
    String savepoint = savepoint(new TestStage("work", RecoveryTest::waitInTheThirdBatch));
    JobClient job =
        CLUSTER.restore(
            savepoint, job(1), new TestStage("work", batch -> {}), new TestStage("b", batch -> {}));
    awaitOutput();
    end(job);
    assertThat(Jobs.lines(out())).containsExactlyInAnyOrderElementsOf(expected());
  }

  /** The batch is in flight in the second stage, and begins anew in the first. */
  @Test
  void batchesInFlightInAGroupComeBackAfterAFailureAndNothingIsDoubled() throws Exception {
    JobClient job =
        CLUSTER.start(
            job(1),
            new TestStage("first", batch -> {}),
            new TestStage("work", RecoveryTest::failInTheThirdBatch));
    reached.await();
    CLUSTER.checkpoint(job.getJobID());
    goOn.countDown();
    awaitOutput();
    end(job);
    assertThat(Jobs.lines(out())).containsExactlyInAnyOrderElementsOf(expected());
  }

  /** The references of all stages of a group are in its state. */
  @Test
  void aModelOfALaterStageThatChangedUnderTheJobIsRefusedByName() throws Exception {
    String savepoint =
        savepoint(
            new TestStage("first", batch -> {}),
            new TestStage("work", RecoveryTest::waitInTheThirdBatch, OLD, false));
    JobClient job =
        CLUSTER.restore(
            savepoint,
            job(1),
            new TestStage("first", batch -> {}),
            new TestStage("work", batch -> {}, NEW, false));
    assertThat(CLUSTER.awaitFailure(job.getJobID(), 0))
        .hasStackTraceContaining("stage work: file:/models/m.lmx changed under the job");
  }

  @Test
  void aModelThatChangedUnderTheJobIsRefusedByName() throws Exception {
    String savepoint =
        savepoint(new TestStage("work", RecoveryTest::waitInTheThirdBatch, OLD, false));
    JobClient job =
        CLUSTER.restore(savepoint, job(1), new TestStage("work", batch -> {}, NEW, false));
    assertThat(CLUSTER.awaitFailure(job.getJobID(), 0))
        .hasStackTraceContaining("file:/models/m.lmx changed under the job")
        .hasStackTraceContaining("expected sha256 " + OLD)
        .hasStackTraceContaining("found " + NEW);
  }

  @Test
  void aModelThatTheJobFileNamesByItsContentIsSwapped() throws Exception {
    String savepoint =
        savepoint(new TestStage("work", RecoveryTest::waitInTheThirdBatch, OLD, false));
    JobClient job =
        CLUSTER.restore(savepoint, job(1), new TestStage("work", batch -> {}, NEW, true));
    awaitOutput();
    end(job);
    assertThat(Jobs.lines(out())).containsExactlyInAnyOrderElementsOf(expected());
  }

  /** With union state, Flink would take no checkpoint any more, and nothing would be committed. */
  @Test
  void aBoundedJobTakesCheckpointsAfterASubtaskHasFinished() throws Exception {
    // far more than the job reads until then
    List<String> lines = Jobs.numbered(50_000);
    Files.write(folder.resolve("in"), lines);
    String source = Jobs.from(folder.resolve("in"));
    // one file for two subtasks: the other has nothing to do
    JobClient job =
        CLUSTER.start(
            Jobs.job(source, Jobs.text(out()), Jobs.FAIL, 2),
            new TestStage("work", batch -> goOn.await(50, TimeUnit.MILLISECONDS)));
    CLUSTER.awaitFinishedSubtask(job.getJobID());

    CLUSTER.checkpoint(job.getJobID());

    goOn.countDown();
    job.getJobExecutionResult().get();
    assertThat(Jobs.lines(out()))
        .containsExactlyInAnyOrderElementsOf(
            lines.stream().map(line -> line.toUpperCase(Locale.ROOT)).toList());
  }

  @Test
  void aSavepointOfAnotherJobIsRefusedAtOnce() throws Exception {
    String savepoint = savepoint(new TestStage("work", RecoveryTest::waitInTheThirdBatch));
    JobClient job =
        CLUSTER.restore(savepoint, Jobs.named("other", job(1)), new TestStage("work", batch -> {}));
    assertThat(CLUSTER.awaitFailure(job.getJobID(), 0))
        .hasStackTraceContaining("belongs to job test, but this job is other");
  }

  @Test
  void aDeadLetterWithoutAPlaceEndsTheJobAtOnce() throws Exception {
    Files.write(folder.resolve("in"), new byte[] {'a', (byte) 0xff});
    JobClient job = CLUSTER.start(job(1));
    assertThat(CLUSTER.awaitFailure(job.getJobID(), 0))
        .hasStackTraceContaining("the job file gives dead letters no place");
  }

  /** A savepoint while the third batch is on the device; the job ends without finishing it. */
  private String savepoint(TestStage... stages) throws Exception {
    JobClient job = CLUSTER.start(job(1), stages);
    reached.await();
    String savepoint =
        job.triggerSavepoint(
                folder.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
            .get();
    end(job);
    return savepoint;
  }

  private static void end(JobClient job) throws Exception {
    job.cancel().get();
    goOn.countDown();
    CLUSTER.awaitEnd(job.getJobID());
  }

  private void awaitOutput() throws InterruptedException {
    Instant end = Instant.now().plusSeconds(60);
    while (Jobs.lines(out()).size() < RECORDS && Instant.now().isBefore(end)) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  /** It waits for more files, so that its end plays no role. */
  private JobConfig job(int parallelism) {
    String source = Jobs.from(folder.resolve("in"), "1h");
    return Jobs.job(source, Jobs.text(out()), Jobs.FAIL, parallelism);
  }

  private Path out() {
    return folder.resolve("out");
  }

  private static List<String> expected() {
    return Jobs.numbered(RECORDS).stream().map(line -> line.toUpperCase(Locale.ROOT)).toList();
  }

  private static void failInTheThirdBatch(List<Envelope> records) throws InterruptedException {
    begun.add(Envelopes.texts(records).get(0));
    int batch = batches.incrementAndGet();
    if (batch == 3) {
      reached.countDown();
      goOn.await();
      throw new OperatorException("the device is lost");
    }
    if (batch == 5) {
      passed.countDown(); // a thread that processes the fifth has finished the fourth
    }
  }

  private static void waitInTheThirdBatch(List<Envelope> batch) throws InterruptedException {
    if (batches.incrementAndGet() == 3) {
      reached.countDown();
      goOn.await();
    }
  }
}
