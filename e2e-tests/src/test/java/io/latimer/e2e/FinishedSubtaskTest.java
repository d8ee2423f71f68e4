package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The state of a job some of whose subtasks have finished, with transactions to commit. */
@Timeout(240)
class FinishedSubtaskTest {
  private static final int LINES = 40;

  @TempDir Path folder;

  @Test
  void itIsRestoredWithItsOwnParallelismOnly() throws Exception {
    try (Flow flow = Flow.between(folder, 2, 1)) {
      List<String> sent = new ArrayList<>();
      for (int i = 0; i < LINES; i++) { // the other partition has none
        String line = "line " + i;
        sent.add(line);
        flow.send(new ProducerRecord<>("in", 0, null, line.getBytes(StandardCharsets.UTF_8)));
      }
      JobID job = flow.start(Flow.config(yaml(flow, 2), folder));
      while (!hasFinishedSubtask(flow, job)) {
        TimeUnit.MILLISECONDS.sleep(50);
      }
      // not committed where the job is cancelled with it
      String savepoint = flow.cancel(job);
      assertThat(flow.readAll("out")).hasSizeLessThan(LINES);

      for (int other : new int[] {1, 3}) {
        assertThatThrownBy(() -> flow.restore(savepoint, Flow.config(yaml(flow, other), folder)))
            .hasMessageContaining("cannot be restored with parallelism " + other)
            .hasMessageContaining("some subtasks of sink-kafka have finished")
            .hasMessageContaining("Set parallelism: 2");
      }
      JobID again = flow.restore(savepoint, Flow.config(yaml(flow, 2), folder));
      // and comes to its end
      assertThat(flow.cluster().requestJobResult(again).get().isSuccess()).isTrue();
      Received.assertExactlyOnce(sent, flow.readAll("out"));
    }
  }

  private static boolean hasFinishedSubtask(Flow flow, JobID job) throws Exception {
    for (AccessExecutionVertex vertex :
        flow.cluster().getExecutionGraph(job).get().getAllExecutionVertices()) {
      if (vertex.getExecutionState() == ExecutionState.FINISHED) {
        return true;
      }
    }
    return false;
  }

  /** Each record is read by itself, in a quarter of a second. */
  private static String yaml(Flow flow, int parallelism) {
    return """
        name: finished-subtask
        source:
          kafka:
            bootstrap-servers: "%1$s"
            topics: [in]
            start: earliest
            bounded: true
            properties:
              fetch.min.bytes: 1000000
              fetch.max.wait.ms: 250
              max.partition.fetch.bytes: 1
        stages: [identity: {}]
        sinks:
          - kafka: {bootstrap-servers: "%1$s", topic: out, delivery: exactly-once}
        dead-letters: fail
        parallelism: %2$d
        checkpoints: {interval: 500ms}
        """
        .formatted(flow.broker().bootstrapServers(), parallelism);
  }
}
