package io.latimer.pipelines.table;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.pipelines.record.DeadLetters;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.pipelines.stage.TableWindows;
import io.latimer.pipelines.stage.Tally;
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
 * Counts records into the panes of event time that they belong to, and hands the counts on: those
 * of a pane once it is over, and all of them when an engine asks, such as before a checkpoint, so
 * that the engine has nothing of this to keep. Used by one thread.
 */
public final class TablePanes implements AutoCloseable {
  /** Most records that wait to be counted together. */
  static final int MAX_WAITING = 1 << 16;

  /** Most tallies: each holds memory of its device, and threads on a CPU. */
  static final int MAX_TALLIES = 4;

  /** A tally that has counted so much is taken: it bounds memory, and how long its bytes become. */
  static final long MAX_COUNTED = 1 << 22;

  /** Takes what comes out. */
  public interface Output {
    /** What was counted of a pane, or a part of it. */
    void part(TablePart part);

    /** A record that could not be counted, with its failure. */
    void refused(Envelope record);
  }

  private record Key(String group, long pane) {}

  private static final class Open {
    private final Key key;
    private List<Envelope> waiting = new ArrayList<>();

    /** Null while nothing was counted that was not handed on. */
    private Tally tally;

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
  private final Deque<Tally> idle = new ArrayDeque<>();

  /** The panes that have a tally, the one that counted last at the end. */
  private final Deque<Open> counting = new ArrayDeque<>();

  private int waiting;
  private long waitingBytes;

  /**
   * Makes one.
   *
   * @param stage open; it is for the caller to close
   */
  public TablePanes(TableStage<?> stage, Output output) {
    this.stage = stage;
    this.windows = stage.windows();
    this.output = output;
  }

  /**
   * Counts a record, now or later.
   *
   * @param record without a failure; it is kept for a while and not changed
   * @param time its event time, in milliseconds since 1970
   */
  public void add(Envelope record, long time) {
    if (!windows.has(time)) {
      refuse(
          record,
          new RecordException(
              "the event time of "
                  + time
                  + " ms since 1970 is beyond all windows; send the time in milliseconds"));
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

  /** Hands on what was counted of the panes that are over by a watermark. */
  public void take(long watermark) {
    for (Open pane : List.copyOf(open.values())) {
      if (pane.key.pane() + windows.pane() - 1 <= watermark) {
        count(pane);
        hand(pane);
      }
    }
  }

  /** Hands on all that was counted. */
  public void takeAll() {
    take(Long.MAX_VALUE);
  }

  /** How many panes hold something that was not handed on. */
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
    if (pane.tally == null) {
      pane.tally = tally();
    } else {
      counting.remove(pane);
    }
    counting.add(pane);
    List<Result<Long>> results = pane.tally.add(batch);
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

  private Tally tally() {
    if (idle.isEmpty() && counting.size() == MAX_TALLIES) {
      hand(counting.element());
    }
    return idle.isEmpty() ? stage.tally() : idle.pop();
  }

  /** Hands on what was counted of a pane, of which nothing is left here but what waits. */
  private void hand(Open pane) {
    if (pane.tally != null) {
      byte[] counts = pane.tally.take();
      counting.remove(pane);
      idle.push(pane.tally);
      pane.tally = null;
      if (pane.records > 0) {
        output.part(
            new TablePart(
                pane.key.group(), pane.key.pane(), pane.records, ByteBuffer.wrap(counts)));
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
    counting.forEach(pane -> pane.tally.close());
    counting.clear();
    open.clear();
    idle.forEach(Tally::close);
    idle.clear();
  }
}
