package io.latimer.pipelines.stage;

import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.table.TableAssembler;
import io.latimer.pipelines.table.TablePanes;
import io.latimer.schemas.Envelope;
import java.time.Instant;
import java.util.List;
import org.apache.avro.specific.SpecificRecordBase;

/**
 * A stage that lets records pass unchanged and makes tables of them: one for each window of event
 * time, and running ones of everything so far. It has sinks of its own.
 *
 * <p>Its work is done in two places. Where records pass, {@link TablePanes} counts them by {@link
 * Tally tallies}, for which the stage is opened. Elsewhere {@link TableAssembler} merges what was
 * counted and makes the tables; for that the stage needs not be open. What goes between the two,
 * and lies in a job's state, are a tally's bytes: two of them can be merged, in any order, with the
 * same result.
 *
 * @param <T> the table, a released record
 */
public non-sealed interface TableStage<T extends SpecificRecordBase> extends Stage {

  /** The class of its tables. */
  Class<T> tableType();

  /** Where its tables go, all of them to each. Known only where the job is put together. */
  List<SinkConfig> sinks();

  /** The windows that it makes tables of. */
  TableWindows windows();

  /**
   * With what a record is counted: records of different groups have tables of their own.
   *
   * @return such as the record's feed; empty where all are counted together
   */
  String group(Envelope record);

  /** How much a record is, for gathering records to be counted together, in bytes, about. */
  int size(Envelope record);

  /** How much is counted together, at most, in bytes by {@link #size}; 1 or more. */
  int batchBytes();

  /** A new, empty tally; the stage must be open. */
  Tally tally();

  /**
   * Merges what was counted.
   *
   * @param counts bytes of tallies; one or more
   */
  byte[] merge(List<byte[]> counts);

  /**
   * Makes a table.
   *
   * @param counts bytes of a tally, or merged ones
   */
  T table(TableScope scope, byte[] counts);

  /** A table as text, on one line. */
  String line(T table);

  /** The key of a table: those with the same key stay in order. */
  String key(T table);

  /** The event time of a table: that of the last moment in it. */
  Instant time(T table);

  /**
   * A table that is smaller, for sinks that cannot take a table as it is.
   *
   * @throws io.latimer.operators.OperatorException if it cannot be smaller
   */
  T smaller(T table);
}
