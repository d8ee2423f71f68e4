package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.api.common.JobID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A job that has ended, or is restarted, leaves no Kafka clients behind in its task managers. */
@Timeout(240)
class LeftThreadsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;
  private Flow flow;

  @BeforeEach
  void start() throws Exception {
    flow = Flow.between(folder, 1, 1);
  }

  @AfterEach
  void stop() {
    flow.close();
  }

  @Test
  void aStoppedJobLeavesNoKafkaClients() throws Exception {
    Set<String> before = clients();
    JobID job = flow.start(flow.job("identity: {}", 1));
    flow.send(1, List.of("one", "two"));
    assertThat(flow.await("out", 2)).hasSize(2);
    assertThat(clients()).as("clients of the running job").hasSizeGreaterThan(before.size());

    flow.stop(job);

    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!before.containsAll(clients()) && System.nanoTime() < end) {
      Thread.sleep(50);
    }
    assertThat(before).as("clients of the ended job among these are left").containsAll(clients());
  }

  /** The network threads of Kafka's clients in this process. */
  private static Set<String> clients() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(thread -> thread.getName() + " " + thread.getId())
        .filter(name -> name.startsWith("kafka-"))
        .collect(Collectors.toSet());
  }
}
