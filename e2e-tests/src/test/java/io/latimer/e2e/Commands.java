package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.BatchLimits;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.StageIndexVersion;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Topics {@code control} and {@code status} of a flow: commands, and what becomes of them. */
final class Commands {
  private final Flow flow;

  /** Makes the topics. */
  Commands(Flow flow) throws Exception {
    this.flow = flow;
    flow.topic("control", 1);
    flow.topic("status", 1);
  }

  /**
   * The section of a job file.
   *
   * @param more further keys of it, one a line
   */
  String section(String... more) {
    StringBuilder keys = new StringBuilder();
    for (String key : more) {
      keys.append("  ").append(key).append('\n');
    }
    return """
        control:
          bootstrap-servers: "%1$s"
          topic: control
          start: earliest
          status:
            - kafka: {bootstrap-servers: "%1$s", topic: status}
        %2$s"""
        .formatted(flow.broker().bootstrapServers(), keys);
  }

  String swap(JobConfig job, String stage, IndexRef index) throws Exception {
    String id = UUID.randomUUID().toString();
    swap(id, job.name(), stage, index);
    return id;
  }

  void swap(String id, String job, String stage, IndexRef index) throws Exception {
    IndexReference reference =
        new IndexReference(index.kind(), index.uri().toString(), index.sha256(), index.version());
    StageIndexVersion swap = new StageIndexVersion(stage, reference, 0L, 0L);
    send(command(id, job).setSwap(swap).build());
  }

  String set(JobConfig job, BatchLimits limits) throws Exception {
    String id = UUID.randomUUID().toString();
    send(command(id, job.name()).setSet(limits).build());
    return id;
  }

  private static ControlCommand.Builder command(String id, String job) {
    return ControlCommand.newBuilder().setId(id).setJob(job).setTime(Instant.now());
  }

  void send(ControlCommand command) throws Exception {
    byte[] key = command.getId().getBytes(StandardCharsets.UTF_8);
    byte[] value = RecordCodec.of(ControlCommand.class).encode(command);
    flow.send(new ProducerRecord<>("control", 0, key, value));
  }

  /** All statuses so far. */
  private List<ControlStatus> statuses() throws Exception {
    RecordCodec<ControlStatus> codec = RecordCodec.of(ControlStatus.class);
    List<ControlStatus> found = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : flow.readAll("status")) {
      found.add(codec.decode(record.value()));
    }
    return found;
  }

  /** The statuses of a command so far. */
  List<ControlStatus> statuses(String id) throws Exception {
    return statuses().stream().filter(status -> status.getCommand().equals(id)).toList();
  }

  /** Waits for the last status of a command. */
  ControlStatus await(String id) throws Exception {
    while (true) {
      for (ControlStatus status : statuses(id)) {
        if (status.getSubtask() < 0 && !status.getState().equals("received")) {
          return status;
        }
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  /** Waits until the job says that all of it uses the first so many learned pairs. */
  void awaitLearned(int pairs) throws Exception {
    while (true) {
      for (ControlStatus status : statuses()) {
        if (status.getSubtask() < 0
            && status.getState().equals("in-use")
            && status.getMessage().equals("learned pairs from 0 to " + pairs)) {
          return;
        }
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  void assertDone(String id) throws Exception {
    ControlStatus end = await(id);
    assertThat(end.getState()).as(end.getMessage()).isEqualTo("in-use");
  }

  void assertRefused(String id, String... reasons) throws Exception {
    ControlStatus end = await(id);
    assertThat(end.getState()).isEqualTo("refused");
    assertThat(end.getMessage()).contains(reasons);
  }
}
