package io.latimer.pipelines.table;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.pipelines.record.DeadLetters;
import io.latimer.pipelines.stage.Accumulator;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.pipelines.stage.TableWindows;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.TablePart;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts records by event-time pane and emits the counts: those of a pane once it has ended, and
 * all of them on request, such as before a checkpoint, so that the engine need not store them. Not
 * thread-safe.
 */
public final class TablePanes implements AutoCloseable {
  /** Maximum number of records that wait to be counted together. */
  static final int MAX_WAITING = 1 << 16;

  /** Maximum number of accumulators, because each holds device memory, and threads on a CPU. */
  static final int MAX_ACCUMULATORS = 4;

  /** Count at which a accumulator is emitted, which bounds its memory and serialized size. */
  static final long MAX_COUNTED = 1 << 22;

  /** Receives the output. */
  public interface Output {
    /**
     * Called when records were counted together.
     *
     * @param records their number, including refused ones; 1 or more
     * @param nanos time that it took
     */
    void counted(int records, long nanos);

    /**
     * Receives the counts of a pane or of a part of it.
     *
     * @param nanos time that extracting them from their accumulator took
     */
    void part(TablePart part, long nanos);

    /** Receives a record that could not be counted, with its failure. */
    void refused(Envelope record);
  }

  private record Key(String group, long pane) {}

  private static final class Open {
    private final Key key;
    private List<Envelope> waiting = new ArrayList<>();

    /** The accumulator; null while there are no counts to emit. */
    private Accumulator accumulator;

    private long records;
    private long counted;

    Open(Key key) {
      this.key = key;
    }
  }

  private final TableStage<?> stage;
  private final TableWindows windows;
  private final Output output;
  private final Map<Key, Open> open = new LinkedHashMap<>();
  private final Deque<Accumulator> idle = new ArrayDeque<>();

  /** The panes that have a accumulator, the most recently used one last. */
  private final Deque<Open> counting = new ArrayDeque<>();

  private int waiting;
  private long waitingBytes;

  /**
   * Creates the panes of a stage.
   *
   * @param stage open; the caller closes it
   */
  public TablePanes(TableStage<?> stage, Output output) {
    this.stage = stage;
    this.windows = stage.windows();
    this.output = output;
  }

  /**
   * Counts a record, immediately or later.
   *
   * @param record without a failure; it is retained and not changed
   * @param time its event time in milliseconds since 1970
   */
  public void add(Envelope record, long time) {
    if (!windows.has(time)) {
      refuse(
          record,
          new RecordException(
              "the event time of "
                  + time
                  + " ms since 1970 is out of range; send the time in milliseconds"));
      return;
    }
    Key key = new Key(stage.group(record), windows.paneOf(time));
    open.computeIfAbsent(key, Open::new).waiting.add(record);
    waiting++;
    waitingBytes += stage.size(record);
    if (waitingBytes >= stage.batchBytes() || waiting >= MAX_WAITING) {
      for (Open pane : List.copyOf(open.values())) {
        count(pane);
      }
    }
  }

  /** Emits the counts of panes that ended by a watermark. */
  public void take(long watermark) {
    for (Open pane : List.copyOf(open.values())) {
      if (pane.key.pane() + windows.pane() - 1 <= watermark) {
        count(pane);
        hand(pane);
      }
    }
  }

  /** Emits all counts. */
  public void takeAll() {
    take(Long.MAX_VALUE);
  }

  /** Number of panes with counts that were not emitted yet. */
  public int size() {
    return open.size();
  }

  private void count(Open pane) {
    if (pane.waiting.isEmpty()) {
      return;
    }
    List<Envelope> batch = pane.waiting;
    pane.waiting = new ArrayList<>();
    waiting -= batch.size();
    batch.forEach(record -> waitingBytes -= stage.size(record));
    if (pane.accumulator == null) {
      pane.accumulator = accumulator();
    } else {
      counting.remove(pane);
    }
    counting.add(pane);
    long start = System.nanoTime();
    List<Result<Long>> results = pane.accumulator.add(batch);
    output.counted(batch.size(), System.nanoTime() - start);
    for (int i = 0; i < results.size(); i++) {
      if (results.get(i) instanceof Result.Value<Long> value) {
        pane.records++;
        pane.counted += value.value();
      } else {
        refuse(batch.get(i), ((Result.Failure<Long>) results.get(i)).error());
      }
    }
    if (pane.counted >= MAX_COUNTED) {
      hand(pane);
    }
  }

  private Accumulator accumulator() {
    if (idle.isEmpty() && counting.size() == MAX_ACCUMULATORS) {
      hand(counting.element());
    }
    return idle.isEmpty() ? stage.accumulator() : idle.pop();
  }

  /** Emits the counts of a pane; only waiting records remain. */
  private void hand(Open pane) {
    if (pane.accumulator != null) {
      long start = System.nanoTime();
      byte[] counts = pane.accumulator.take();
      long nanos = System.nanoTime() - start;
      counting.remove(pane);
      idle.push(pane.accumulator);
      pane.accumulator = null;
      if (pane.records > 0) {
        output.part(
            new TablePart(pane.key.group(), pane.key.pane(), pane.records, ByteBuffer.wrap(counts)),
            nanos);
      }
      pane.records = 0;
      pane.counted = 0;
    }
    if (pane.waiting.isEmpty()) {
      open.remove(pane.key);
    }
  }

  private void refuse(Envelope record, RecordException reason) {
    output.refused(DeadLetters.refuse(record, stage.name(), reason));
  }

  @Override
  public void close() {
    counting.forEach(pane -> pane.accumulator.close());
    counting.clear();
    open.clear();
    idle.forEach(Accumulator::close);
    idle.clear();
  }
}
