package io.latimer.pipelines.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.Cluster;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TransactionalWritersTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  @TempDir Path folder;

  /** Each would keep a thread and the job's classes: a broker that is down for long is no leak. */
  @Test
  void writersThatFailToStartLeaveNoClients() throws Exception {
    JobConfig config =
        JobConfigReader.read(
            """
            name: news
            source: {list: {lines: [a]}}
            stages: [identity]
            sinks:
              - kafka:
                  bootstrap-servers: localhost:1
                  topic: out
                  delivery: exactly-once
                  properties: {request.timeout.ms: 300, default.api.timeout.ms: 600}
            parallelism: 1
            restarts: {attempts: 2, delay: 10ms}
            """,
            "job.yaml",
            folder);
    Set<Thread> before = adminThreads();
    JobClient job = CLUSTER.start(config);
    assertThat(CLUSTER.awaitFailure(job.getJobID(), 2))
        .hasStackTraceContaining("Timed out waiting for a node assignment");
    Set<Thread> after = adminThreads();
    after.removeAll(before);
    assertThat(after).isEmpty();
  }

  private static Set<Thread> adminThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("kafka-admin-client-thread"))
        .collect(Collectors.toSet());
  }
}
