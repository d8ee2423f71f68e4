package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.highavailability.nonha.embedded.HaLeadershipControl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is killed mid-stream, readers of committed records see every record exactly once. */
@Timeout(240)
class RecoveryTest {
  private static final int CHUNKS = 10;
  private static final int CHUNK = 300;

  /** More than the slots of one task manager, so that each of them runs some. */
  private static final int SUBTASKS = 3;

  @TempDir Path folder;
  private Flow flow;

  @BeforeEach
  void start() throws Exception {
    flow = Flow.between(folder, 2, 2);
  }

  @AfterEach
  void stop() throws Exception {
    flow.close();
  }

  @Test
  void aKilledTaskManagerLosesAndDoublesNothing() throws Exception {
    JobID job = flow.start(flow.job("identity: {}", SUBTASKS));

    List<String> sent =
        sendWhile(
            () -> {
              flow.cluster().terminateTaskManager(0).get();
              flow.cluster().startTaskManager();
            });

    assertThat(flow.await("out", sent.size())).hasSizeGreaterThanOrEqualTo(sent.size());
    assertThat(flow.restarts(job)).isPositive();
    flow.stop(job);
    Received.assertExactlyOnce(sent, flow.readAll("out"));
  }

  @Test
  void aKilledTaskManagerTakesNoTranslationWithIt() throws Exception {
    flow.runAcrossKill(flow.job(Flow.translate(Flow.MODEL, ", beam: 1"), SUBTASKS));

    assertThat(Received.translations(flow.readAll("out"))).noneMatch(t -> t.getText().isBlank());
  }

  @Test
  void aJobThatLosesItsMasterLosesAndDoublesNothing() throws Exception {
    JobID job = flow.start(flow.job("identity: {}", 2));
    HaLeadershipControl leadership = flow.cluster().getHaLeadershipControl().orElseThrow();
    AtomicLong firstMaster = new AtomicLong();

    List<String> sent =
        sendWhile(
            () -> {
              firstMaster.set(flow.running(job));
              leadership.revokeJobMasterLeadership(job).get();
              leadership.grantJobMasterLeadership(job).get();
            });

    assertThat(flow.await("out", sent.size())).hasSizeGreaterThanOrEqualTo(sent.size());
    assertThat(flow.running(job)).isGreaterThan(firstMaster.get());
    flow.stop(job);
    Received.assertExactlyOnce(sent, flow.readAll("out"));
  }

  @Test
  void aJobGoesOnFromItsSavepointWithOtherParallelism() throws Exception {
    JobID first = flow.start(flow.job("identity: {}", 1));
    List<String> sent = new ArrayList<>(lines(0));
    flow.send(2, sent);
    flow.await("out", 1);
    String savepoint = flow.stop(first);
    assertThat(flow.cluster().requestJobResult(first).get().toJobExecutionResult(loader()))
        .isNotNull();
    flow.send(2, lines(1));
    sent.addAll(lines(1));

    JobID second = flow.restore(savepoint, flow.job("identity: {}", 2));
    flow.send(2, lines(2));
    sent.addAll(lines(2));

    assertThat(flow.await("out", sent.size())).hasSizeGreaterThanOrEqualTo(sent.size());
    flow.stop(second);
    Received.assertExactlyOnce(sent, flow.readAll("out"));
  }

  /** Sends chunks of lines; in the middle, once some have come out, the failure happens. */
  private List<String> sendWhile(Accident accident) throws Exception {
    List<String> sent = new ArrayList<>();
    CompletableFuture<Void> happening = null;
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
      flow.send(2, lines(chunk));
      sent.addAll(lines(chunk));
      if (chunk == CHUNKS / 2) {
        assertThat(flow.await("out", CHUNK)).hasSizeGreaterThanOrEqualTo(CHUNK);
        happening = CompletableFuture.runAsync(() -> accident.happenUnchecked());
      }
    }
    happening.get();
    return sent;
  }

  private static List<String> lines(int chunk) {
    return IntStream.range(0, CHUNK).mapToObj(i -> "line " + (chunk * CHUNK + i)).toList();
  }

  private static ClassLoader loader() {
    return RecoveryTest.class.getClassLoader();
  }

  /** What happens to the cluster. */
  private interface Accident {
    void happen() throws Exception;

    default void happenUnchecked() {
      try {
        happen();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
