package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.junit.jupiter.api.Test;

class GuardedKafkaSinkTest {
  /** Flink ends the task manager if the clean-up of a failed task throws. */
  @Test
  void aWriterThatFailsToCloseFailsNothingElse() {
    FailingWriter writer = new FailingWriter();

    new GuardedKafkaSink.Writer<>(writer, writer, 1).close();

    assertThat(writer.closed).isTrue();
  }

  /** Like a writer whose last records the broker has refused. */
  private static final class FailingWriter
      implements StatefulSinkWriter<String, KafkaWriterState>,
          CommittingSinkWriter<String, KafkaCommittable> {
    private boolean closed;

    @Override
    public void write(String element, Context context) {}

    @Override
    public void flush(boolean endOfInput) {}

    @Override
    public List<KafkaWriterState> snapshotState(long checkpoint) {
      return List.of();
    }

    @Override
    public Collection<KafkaCommittable> prepareCommit() {
      return List.of();
    }

    @Override
    public void close() throws IOException {
      closed = true;
      throw new IOException("One or more Kafka Producer send requests have encountered exception");
    }
  }
}
