package io.latimer.pipelines.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.flink.state.CheckpointFolder;
import io.latimer.pipelines.flink.state.RestoredState;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import io.latimer.pipelines.job.JobConfigReader;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import org.apache.flink.api.common.TaskInfoImpl;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaSinkBuilder;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.internal.TransactionOwnership;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.InstantiationUtil;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GuardedKafkaSinkTest {
  @TempDir Path temporary;

  /** Flink ends the task manager if the clean-up of a failed task throws. */
  @Test
  void aWriterThatFailsToCloseFailsNothingElse() {
    FailingWriter writer = new FailingWriter();

    new GuardedKafkaSink.Writer<>(
            writer, writer, 1, new SinkLatency(new UnregisteredMetricsGroup()))
        .close();

    assertThat(writer.closed).isTrue();
  }

  /** What is open is aborted as soon as Flink's writer begins. */
  @Test
  void aStartWithoutStateIsNotedBeforeTheWriterBegins() {
    assertThatThrownBy(() -> sink(DeliveryGuarantee.EXACTLY_ONCE).createWriter(stopping()))
        .hasMessage("the writer begins");
    assertThat(note()).exists();
  }

  @Test
  void aStartThatAbortsNothingIsNotNoted() {
    assertThatThrownBy(
            () -> sink(DeliveryGuarantee.EXACTLY_ONCE).restoreWriter(stopping(), List.of()))
        .hasMessage("the writer begins");
    assertThatThrownBy(() -> sink(DeliveryGuarantee.AT_LEAST_ONCE).createWriter(stopping()))
        .hasMessage("the writer begins");
    assertThat(note()).doesNotExist();
  }

  /** Whoever restores it: the cluster does not ask what {@link RestoredState} checks before. */
  @Test
  void aSourceWithAnEndMustNotMoveTransactionsToOtherSubtasks() throws Exception {
    GuardedKafkaSink<String> ending = sink(DeliveryGuarantee.EXACTLY_ONCE, true);
    // subtask 0 had finished, so the only state is given to it after a change from 2 to 3
    assertThatThrownBy(() -> ending.restoreWriter(subtask(0, 3), List.of(state(1))))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("cannot be restored with parallelism 3")
        .hasMessageContaining("sink kafka has transactions of subtask 1 in subtask 0");
    // after a change from 4 to 2
    assertThatThrownBy(() -> ending.restoreWriter(subtask(1, 2), List.of(state(2), state(3))))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("Once subtask 0 has finished");
    restores(ending, subtask(1, 2), state(1));
    restores(ending, subtask(1, 2), state(1), state(3));
    restores(ending, subtask(0, 1), state(0), state(1));
    restores(ending, subtask(2, 4));
    // where no subtask finishes before others, each has a state
    restores(sink(DeliveryGuarantee.EXACTLY_ONCE), subtask(0, 3), state(1));
    restores(sink(DeliveryGuarantee.AT_LEAST_ONCE, true), subtask(0, 3), state(1));
  }

  private static void restores(
      GuardedKafkaSink<String> sink, WriterInitContext context, KafkaWriterState... states) {
    assertThatThrownBy(() -> sink.restoreWriter(context, List.of(states)))
        .hasMessage("the writer begins");
  }

  private static KafkaWriterState state(int owner) {
    return new KafkaWriterState(
        "news:kafka:", owner, 4, TransactionOwnership.EXPLICIT_BY_WRITER_STATE, List.of());
  }

  private Path note() {
    return temporary.resolve("news/_started-without-state");
  }

  /** As a task gets it. */
  private GuardedKafkaSink<String> sink(DeliveryGuarantee delivery) throws Exception {
    return sink(delivery, false);
  }

  private GuardedKafkaSink<String> sink(DeliveryGuarantee delivery, boolean ends) throws Exception {
    KafkaSinkBuilder<String> builder =
        KafkaSink.<String>builder()
            .setBootstrapServers("localhost:1")
            .setTransactionalIdPrefix("news:kafka:")
            .setRecordSerializer((text, context, time) -> new ProducerRecord<>("out", new byte[0]));
    KafkaSink<String> transactional =
        builder.setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE).build();
    String job =
        """
        name: news
        source: {list: {lines: [a]}}
        stages: [identity]
        checkpoints: {directory: '.'}
        """;
    return InstantiationUtil.clone(
        new GuardedKafkaSink<>(
            delivery == DeliveryGuarantee.EXACTLY_ONCE
                ? transactional
                : builder.setDeliveryGuarantee(delivery).build(),
            transactional,
            new TransactionCoordinator.Address(new Properties()),
            new GuardedCommitter.Names("kafka", "out", 1, false, 0),
            ends,
            CheckpointFolder.of(JobConfigReader.read(job, "job.yaml", temporary)).orElseThrow()));
  }

  /** The context of a writer that gets no further than to ask it for anything. */
  private static WriterInitContext stopping() {
    return subtask(0, 1);
  }

  private static WriterInitContext subtask(int index, int parallelism) {
    return (WriterInitContext)
        Proxy.newProxyInstance(
            GuardedKafkaSinkTest.class.getClassLoader(),
            new Class<?>[] {WriterInitContext.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("getTaskInfo")) {
                return new TaskInfoImpl("sink", 128, index, parallelism, 0);
              }
              throw new IllegalStateException("the writer begins");
            });
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
