package io.latimer.pipelines.flink.sink;

import io.latimer.pipelines.flink.sink.GuardedCommittables.Guarded;
import io.latimer.pipelines.flink.state.CheckpointFolder;
import io.latimer.pipelines.flink.state.RestoredState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
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
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flink's Kafka sink, except that a transaction that can no longer be committed ends the job.
 * Flink's own only logs it and goes on: its records are lost, and the job still succeeds.
 *
 * <p>To detect this, it stores with each transaction when it began and the checkpoint before it.
 *
 * <p>A writer that starts without a state aborts all transactions that the sink has left open. It
 * first records that in the job's checkpoint folder, because a broker cannot later tell such an
 * abort from a commit. See {@link RestoredState}.
 *
 * <p>An at-least-once sink has no transactions of its own, but its state may have some from when it
 * was exactly-once. These are committed; Flink's sink drops them silently.
 *
 * @param sink the sink
 * @param transactional the same sink with exactly-once delivery
 * @param brokers its brokers
 * @param names the details for its error messages
 * @param ends whether the job's source is bounded, so that some subtasks finish before others
 * @param folder the job's folder of checkpoints, or null if it has none
 */
record GuardedKafkaSink<T>(
    KafkaSink<T> sink,
    KafkaSink<T> transactional,
    TransactionCoordinator.Address brokers,
    GuardedCommitter.Names names,
    boolean ends,
    CheckpointFolder folder)
    implements Sink<T>,
        SupportsWriterState<T, KafkaWriterState>,
        SupportsCommitter<Guarded>,
        SupportsPostCommitTopology<Guarded> {
  private static final Logger LOG = LoggerFactory.getLogger(GuardedKafkaSink.class);

  /** Called by Flink if the job restores no state; otherwise {@link #restoreWriter} is. */
  @Override
  public Writer<T> createWriter(WriterInitContext context) throws IOException {
    if (folder != null && sink == transactional) {
      folder.startsWithoutState();
    }
    return start(context, List.of());
  }

  @Override
  public Writer<T> restoreWriter(WriterInitContext context, Collection<KafkaWriterState> states)
      throws IOException {
    if (ends && sink == transactional) {
      RestoredState.refuseMovedTransactions(names.sink(), context.getTaskInfo(), states);
    }
    return start(context, states);
  }

  private Writer<T> start(WriterInitContext context, Collection<KafkaWriterState> states)
      throws IOException {
    return sink == transactional
        ? writer(TransactionalWriters.start(sink, context, states), context)
        : writer(sink.restoreWriter(context, states), context);
  }

  @SuppressWarnings("unchecked") // Flink's writer has both interfaces, but is not public
  private static <T> Writer<T> writer(
      StatefulSinkWriter<T, KafkaWriterState> writer, WriterInitContext context) {
    return new Writer<>(
        writer,
        (CommittingSinkWriter<T, KafkaCommittable>) writer,
        context.getRestoredCheckpointId().orElse(0),
        new SinkLatency(context.metricGroup()));
  }

  @Override
  public SimpleVersionedSerializer<KafkaWriterState> getWriterStateSerializer() {
    return sink.getWriterStateSerializer();
  }

  @Override
  public Committer<Guarded> createCommitter(CommitterInitContext context) {
    Committer<KafkaCommittable> committer =
        sink == transactional
            ? sink.createCommitter(context)
            : new RestoredCommitter(() -> transactional.createCommitter(context));
    return new GuardedCommitter(
        committer,
        brokers.coordinator(),
        names.suspecting(RestoredState.suspects(context, folder)));
  }

  @Override
  public SimpleVersionedSerializer<Guarded> getCommittableSerializer() {
    return new GuardedCommittables(sink.getCommittableSerializer());
  }

  @Override
  @SuppressWarnings({"unchecked", "rawtypes"}) // it only sets the placement of the committer
  public void addPostCommitTopology(DataStream<CommittableMessage<Guarded>> committables) {
    sink.addPostCommitTopology((DataStream) committables);
  }

  /** Records when a transaction begins: at the snapshot that ends the one before. */
  static final class Writer<T>
      implements StatefulSinkWriter<T, KafkaWriterState>, CommittingSinkWriter<T, Guarded> {
    private final StatefulSinkWriter<T, KafkaWriterState> state;
    private final CommittingSinkWriter<T, KafkaCommittable> writer;
    private final SinkLatency latency;
    private long checkpoint; // the last one: the current transaction began at its snapshot
    private long since = System.currentTimeMillis();

    Writer(
        StatefulSinkWriter<T, KafkaWriterState> state,
        CommittingSinkWriter<T, KafkaCommittable> writer,
        long checkpoint,
        SinkLatency latency) {
      this.state = state;
      this.writer = writer;
      this.checkpoint = checkpoint;
      this.latency = latency;
    }

    @Override
    public void write(T element, Context context) throws IOException, InterruptedException {
      writer.write(element, context);
      latency.written(element);
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
     * Closes the writer without throwing: Flink ends the whole task manager if the clean-up of a
     * failed task fails. Records to commit were flushed before.
     */
    @Override
    public void close() {
      try {
        writer.close();
      } catch (Exception e) {
        LOG.warn("A Kafka writer was closed with an error, which its task has reported before.", e);
      } finally {
        TransactionalWriters.closeAdmin(writer);
      }
    }
  }

  /**
   * Creates Flink's committer lazily, with the first transaction. Two at-least-once sinks may have
   * the same prefix, but two such committers cannot be created.
   */
  private static final class RestoredCommitter implements Committer<KafkaCommittable> {
    private final Supplier<Committer<KafkaCommittable>> flink;
    private Committer<KafkaCommittable> made;

    RestoredCommitter(Supplier<Committer<KafkaCommittable>> flink) {
      this.flink = flink;
    }

    @Override
    public void commit(Collection<CommitRequest<KafkaCommittable>> requests)
        throws IOException, InterruptedException {
      if (requests.isEmpty()) {
        return;
      }
      if (made == null) {
        made = flink.get();
      }
      made.commit(requests);
    }

    @Override
    public void close() {
      try {
        if (made != null) {
          made.close();
        }
      } catch (Exception e) {
        ExceptionUtils.rethrow(e);
      }
    }
  }
}
