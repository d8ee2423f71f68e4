package io.latimer.pipelines.flink.sink;

import io.latimer.schemas.Envelope;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * Lets the process that runs a job see its records as they leave the last stage: before the sinks
 * commit them, and again after a restart. A job on a cluster has no tap.
 *
 * <p>A tap adds only stateless operators, so a job can be restored with or without it.
 */
public final class RecordTap implements AutoCloseable {
  /** The open taps of this process; the operators, which are serialized, look up theirs by id. */
  private static final Map<String, RecordTap> OPEN = new ConcurrentHashMap<>();

  private final String id = UUID.randomUUID().toString();
  private final Consumer<Envelope> consumer;

  private RecordTap(Consumer<Envelope> consumer) {
    this.consumer = consumer;
  }

  /**
   * Opens a tap for one job.
   *
   * @param consumer called by the threads of all subtasks with each translated or refused record,
   *     but not with tombstones that reach the sinks; must neither change nor keep a record; blocks
   *     the job, and fails it by throwing
   */
  public static RecordTap open(Consumer<Envelope> consumer) {
    RecordTap tap = new RecordTap(consumer);
    OPEN.put(tap.id, tap);
    return tap;
  }

  /** Stops calling the consumer; the job goes on. Closing twice is safe. */
  @Override
  public void close() {
    OPEN.remove(id);
  }

  /**
   * Adds the tap to two streams, without a union, so that each operator is chained to its stream.
   */
  public void add(DataStream<Envelope> records, DataStream<Envelope> refused) {
    records.sinkTo(new TapSink(id, true)).name("tap").uid("tap");
    refused.sinkTo(new TapSink(id, false)).name("tap of dead letters").uid("tap-dead-letters");
  }

  /**
   * Passes records to the consumer.
   *
   * @param translated whether the records have passed all stages, or else were refused
   */
  private record TapSink(String id, boolean translated) implements Sink<Envelope> {
    @Override
    public SinkWriter<Envelope> createWriter(WriterInitContext context) {
      return new SinkWriter<>() {
        @Override
        public void write(Envelope envelope, Context record) {
          RecordTap tap = OPEN.get(id);
          boolean tombstone = translated && envelope.getFailure() != null;
          if (tap != null && !tombstone) {
            tap.consumer.accept(envelope);
          }
        }

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public void close() {}
      };
    }
  }
}
