package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A topic whose maximum message size is smaller than a producer's batch. */
@Timeout(240)
class SmallTopicTest {
  private static final int LINES = 4_000;
  private static final int RESTARTS = 3;

  @TempDir Path folder;

  @Test
  void whatIsTooMuchAtOnceIsSplitAndComesOnce() throws Exception {
    String padding = "x".repeat(300);
    List<String> lines =
        IntStream.range(0, LINES).mapToObj(i -> "line " + i + " " + padding).toList();
    try (Flow flow = new Flow(folder)) {
      flow.topic("in", 1);
      flow.topic("out", 1, Map.of("max.message.bytes", "10000"));
      flow.topic("dead", 1);
      flow.send(1, lines);

      flow.start(flow.job("identity: {}", 1));

      Received.assertExactlyOnce(lines, flow.await("out", LINES));
    }
  }

  /**
   * A topic that takes no record, and many on their way to it: Flink ends the task manager if a
   * failed task cannot be cleaned up.
   */
  @Test
  void aTopicThatTakesNothingFailsTheJobNotItsTaskManagers() throws Exception {
    try (Flow flow = new Flow(folder)) {
      flow.topic("in", 1);
      flow.topic("out", 1, Map.of("max.message.bytes", "100"));
      flow.send(1, IntStream.range(0, LINES).mapToObj(i -> "line " + i).toList());

      JobID job = flow.start(Flow.config(refused(flow), folder));

      JobResult result = flow.cluster().requestJobResult(job).get();
      assertThat(result.isSuccess()).isFalse();
      assertThat(Failures.messages(result.getSerializedThrowable().orElseThrow()))
          .contains("larger than the max message size")
          .doesNotContain("TaskManager");
      assertThat(flow.restarts(job)).isEqualTo(RESTARTS);
      assertThat(flow.cluster().requestClusterOverview().get().getNumTaskManagersConnected())
          .isEqualTo(2);
    }
  }

  private static String refused(Flow flow) {
    return """
        name: refused
        source:
          kafka: {bootstrap-servers: "%1$s", topics: [in], start: earliest}
        stages: [identity: {}]
        sinks:
          - kafka:
              bootstrap-servers: "%1$s"
              topic: out
              delivery: at-least-once
              properties: {batch.size: 1, linger.ms: 0}
        dead-letters: fail
        checkpoints: {interval: 1s}
        restarts: {attempts: %2$d, delay: 100ms}
        """
        .formatted(flow.broker().bootstrapServers(), RESTARTS);
  }
}
