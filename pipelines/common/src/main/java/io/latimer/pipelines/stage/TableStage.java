package io.latimer.pipelines.stage;

import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.schemas.Envelope;
import java.time.Instant;
import java.util.List;
import org.apache.avro.specific.SpecificRecordBase;

/**
 * A stage that passes records through unchanged and makes tables from them: one per event-time
 * window, and running ones of everything so far. It has sinks of its own.
 *
 * <p>It works in two operators. One counts the records of the stream with {@link Accumulator
 * accumulators}, for which the stage is open. The other, downstream, merges the counts into tables;
 * the stage need not be open for that. Between the two, and in a job's state, accumulators are
 * serialized; they can be merged in any order with the same result.
 *
 * @param <T> type of its tables, a released record
 */
public non-sealed interface TableStage<T extends SpecificRecordBase> extends Stage {

  /** The class of its tables. */
  Class<T> tableType();

  /** The sinks for its tables; each receives all of them. Available only where the job is built. */
  List<SinkConfig> sinks();

  /** The windows of its tables. */
  TableWindows windows();

  /**
   * The group of a record; each group has its own tables.
   *
   * @return such as the record's feed; empty if all records are counted together
   */
  String group(Envelope record);

  /** The approximate size of a record in bytes, for deciding how many records to count together. */
  int size(Envelope record);

  /** Maximum total {@link #size} of records to count together, in bytes; 1 or more. */
  int batchBytes();

  /** A new, empty accumulator; the stage must be open. */
  Accumulator accumulator();

  /**
   * Merges counts.
   *
   * @param counts serialized accumulators; one or more
   */
  byte[] merge(List<byte[]> counts);

  /**
   * Makes a table.
   *
   * @param counts a serialized accumulator, or merged ones
   */
  T table(TableScope scope, byte[] counts);

  /**
   * Whether making a table takes long, such as seconds. It is then made in a separate thread, one
   * at a time, while the stage merges further counts.
   */
  default boolean isSlow() {
    return false;
  }

  /**
   * Sets how many tasks share the memory of this process, before tables are made.
   *
   * @param tasks 1 or more
   */
  default void shareMemory(int tasks) {}

  /** A table as one line of text. */
  String line(T table);

  /** The key of a table in its topic: tables with the same key stay in order. */
  String key(T table);

  /** The event time of a table: its last millisecond. */
  Instant time(T table);

  /**
   * Reduces a table that is too large for a sink.
   *
   * @throws io.latimer.operators.OperatorException if it cannot be smaller
   */
  T smaller(T table);
}
