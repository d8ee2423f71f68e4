package io.latimer.pipelines;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.TablePart;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts records into the panes of event time that they belong to, and hands the counts on: those
 * of a pane once it is over, and all of them when an engine asks, such as before a checkpoint, so
 * that the engine has nothing of this to keep. Used by one thread.
 */
public final class TablePanes implements AutoCloseable {
  /** Most records that are counted together. */
  static final int BATCH_RECORDS = 1 << 16;

  /** Most tallies at a time: each holds memory of its device. */
  static final int MAX_OPEN = 64;

  /** Tallies that are kept for the next panes. */
  private static final int MAX_IDLE = 4;

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
    private final Tally tally;
    private final List<Envelope> waiting = new ArrayList<>();
    private long bytes;
    private long records;
    private long counted;

    Open(Tally tally) {
      this.tally = tally;
    }
  }

  private final TableStage<?> stage;
  private final TableWindows windows;
  private final Output output;
  private final Map<Key, Open> open = new LinkedHashMap<>();
  private final Deque<Tally> idle = new ArrayDeque<>();

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
    Open pane = open.get(key);
    if (pane == null) {
      if (open.size() == MAX_OPEN) {
        takeAll();
      }
      pane = new Open(idle.isEmpty() ? stage.tally() : idle.pop());
      open.put(key, pane);
    }
    pane.waiting.add(record);
    pane.bytes += stage.size(record);
    if (pane.bytes >= stage.batchBytes() || pane.waiting.size() == BATCH_RECORDS) {
      count(pane);
      if (pane.counted >= MAX_COUNTED) {
        hand(key, pane);
        pane.records = 0;
        pane.counted = 0;
      }
    }
  }

  /** Hands on what was counted of the panes that are over by a watermark. */
  public void take(long watermark) {
    Iterator<Map.Entry<Key, Open>> all = open.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<Key, Open> one = all.next();
      if (one.getKey().pane() + windows.pane() - 1 <= watermark) {
        all.remove();
        finish(one.getKey(), one.getValue());
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

  private void finish(Key key, Open pane) {
    count(pane);
    hand(key, pane);
    if (idle.size() < MAX_IDLE) {
      idle.push(pane.tally);
    } else {
      pane.tally.close();
    }
  }

  private void count(Open pane) {
    if (pane.waiting.isEmpty()) {
      return;
    }
    List<Result<Long>> results = pane.tally.add(pane.waiting);
    for (int i = 0; i < results.size(); i++) {
      if (results.get(i) instanceof Result.Value<Long> value) {
        pane.records++;
        pane.counted += value.value();
      } else {
        refuse(pane.waiting.get(i), ((Result.Failure<Long>) results.get(i)).error());
      }
    }
    pane.waiting.clear();
    pane.bytes = 0;
  }

  private void hand(Key key, Open pane) {
    byte[] counts = pane.tally.take();
    if (pane.records > 0) {
      output.part(new TablePart(key.group(), key.pane(), pane.records, ByteBuffer.wrap(counts)));
    }
  }

  private void refuse(Envelope record, RecordException reason) {
    output.refused(DeadLetters.refuse(record, stage.name(), reason));
  }

  @Override
  public void close() {
    open.values().forEach(pane -> pane.tally.close());
    open.clear();
    idle.forEach(Tally::close);
    idle.clear();
  }
}
