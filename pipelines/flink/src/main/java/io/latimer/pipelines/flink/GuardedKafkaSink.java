package io.latimer.pipelines.flink;

import io.latimer.pipelines.flink.GuardedCommittables.Guarded;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPostCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flink's Kafka sink with transactions, but a transaction that can no longer be committed ends the
 * job. Flink's only logs it and goes on, so that its records are missing and the job succeeds.
 *
 * <p>For that it notes with each transaction when it began and the checkpoint that commits it.
 */
final class GuardedKafkaSink<T>
    implements Sink<T>,
        SupportsWriterState<T, KafkaWriterState>,
        SupportsCommitter<Guarded>,
        SupportsPostCommitTopology<Guarded> {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(GuardedKafkaSink.class);

  private final KafkaSink<T> sink;
  private final TransactionCoordinator.Address brokers;
  private final GuardedCommitter.Names names;

  /**
   * Guards a sink.
   *
   * @param sink an exactly-once sink
   * @param brokers its brokers
   * @param names what its errors are to say
   */
  GuardedKafkaSink(
      KafkaSink<T> sink, TransactionCoordinator.Address brokers, GuardedCommitter.Names names) {
    this.sink = sink;
    this.brokers = brokers;
    this.names = names;
  }

  @Override
  public Writer<T> createWriter(WriterInitContext context) throws IOException {
    return writer(sink.createWriter(context), context);
  }

  @Override
  public Writer<T> restoreWriter(WriterInitContext context, Collection<KafkaWriterState> states)
      throws IOException {
    return writer(sink.restoreWriter(context, states), context);
  }

  @SuppressWarnings("unchecked") // the writer of an exactly-once sink writes in transactions
  private static <T, W extends StatefulSinkWriter<T, KafkaWriterState>> Writer<T> writer(
      W writer, WriterInitContext context) {
    return new Writer<>(
        writer,
        (CommittingSinkWriter<T, KafkaCommittable>) writer,
        context.getRestoredCheckpointId().orElse(0));
  }

  @Override
  public SimpleVersionedSerializer<KafkaWriterState> getWriterStateSerializer() {
    return sink.getWriterStateSerializer();
  }

  @Override
  public Committer<Guarded> createCommitter(CommitterInitContext context) {
    return new GuardedCommitter(sink.createCommitter(context), brokers.coordinator(), names);
  }

  @Override
  public SimpleVersionedSerializer<Guarded> getCommittableSerializer() {
    return new GuardedCommittables(sink.getCommittableSerializer());
  }

  @Override
  @SuppressWarnings({"unchecked", "rawtypes"}) // it only sets where the committer runs
  public void addPostCommitTopology(DataStream<CommittableMessage<Guarded>> committables) {
    sink.addPostCommitTopology((DataStream) committables);
  }

  /** Notes when a transaction begins: at the snapshot after which the next one is written. */
  static final class Writer<T>
      implements StatefulSinkWriter<T, KafkaWriterState>, CommittingSinkWriter<T, Guarded> {
    private final StatefulSinkWriter<T, KafkaWriterState> state;
    private final CommittingSinkWriter<T, KafkaCommittable> writer;
    private long checkpoint; // the last one, before which the current transaction began
    private long since = System.currentTimeMillis();

    Writer(
        StatefulSinkWriter<T, KafkaWriterState> state,
        CommittingSinkWriter<T, KafkaCommittable> writer,
        long checkpoint) {
      this.state = state;
      this.writer = writer;
      this.checkpoint = checkpoint;
    }

    @Override
    public void write(T element, Context context) throws IOException, InterruptedException {
      writer.write(element, context);
    }

    @Override
    public void flush(boolean endOfInput) throws IOException, InterruptedException {
      writer.flush(endOfInput);
    }

    @Override
    public void writeWatermark(Watermark watermark) throws IOException, InterruptedException {
      writer.writeWatermark(watermark);
    }

    @Override
    public Collection<Guarded> prepareCommit() throws IOException, InterruptedException {
      List<Guarded> guarded = new ArrayList<>();
      for (KafkaCommittable committable : writer.prepareCommit()) {
        guarded.add(new Guarded(committable, since, checkpoint));
      }
      return guarded;
    }

    @Override
    public List<KafkaWriterState> snapshotState(long checkpointId) throws IOException {
      // the next transaction begins in this call
      since = System.currentTimeMillis();
      checkpoint = checkpointId;
      return state.snapshotState(checkpointId);
    }

    /**
     * Throws nothing: Flink ends the whole task manager if a failed task cannot be cleaned up. What
     * is to be committed was flushed before.
     */
    @Override
    public void close() {
      try {
        writer.close();
      } catch (Exception e) {
        LOG.warn("A Kafka writer was closed with an error, which its task has reported before.", e);
      } finally {
        WriterAdmin.close(writer);
      }
    }
  }
}
