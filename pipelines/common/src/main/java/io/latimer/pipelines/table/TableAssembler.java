package io.latimer.pipelines.table;

import io.latimer.pipelines.stage.TableScope;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.pipelines.stage.TableWindows;
import io.latimer.schemas.TablePart;
import io.latimer.schemas.TableTotals;
import io.latimer.schemas.TableWindow;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Assembles the tables of windows from the counts of their panes, and maintains running totals. It
 * is stateless: the engine keeps the state of each group and passes it in.
 *
 * <p>A window's table is made once the watermark has passed its end, and again with a higher
 * revision if more was counted before its allowed lateness ends. Later records are counted as late,
 * and in the running totals only. A running table follows the window's and covers all panes that
 * ended by then.
 */
public final class TableAssembler {
  /** The state of one group. Stored values are never modified. */
  public interface State extends TotalCounts.Segments {
    /** The pane with this start, or null. */
    TablePart pane(long start);

    void putPane(TablePart pane);

    void removePane(long start);

    /** The starts of the panes, in any order. */
    Iterable<Long> panes();

    /** The window with this end, or null. */
    TableWindow window(long end);

    void putWindow(long end, TableWindow window);

    void removeWindow(long end);

    /** The ends of the windows, in any order. */
    Iterable<Long> windows();

    /** The totals so far, without their counts, or null. */
    TableTotals totals();

    void putTotals(TableTotals totals);

    /** Removes the totals and their counts. */
    void removeTotals();
  }

  /** Receives the input for due tables. */
  public interface Tables {
    /** Called when a table is due: these are the arguments of {@link TableStage#table}. */
    void due(TableScope scope, byte[] counts);
  }

  /**
   * Event-time timers at which to call {@link #advance}. One that is registered at the end of the
   * input matters only if the state is used again, as after draining a job.
   */
  public interface Timers {
    void register(long time);

    /** Deletes a timer if it is registered. */
    void delete(long time);
  }

  private final TableStage<?> stage;
  private final TableWindows windows;
  private final TotalCounts total;

  /**
   * Creates an assembler.
   *
   * @param stage need not be open
   */
  public TableAssembler(TableStage<?> stage) {
    this.stage = stage;
    this.windows = stage.windows();
    this.total = new TotalCounts(this::merge);
  }

  /**
   * Adds counts of a pane.
   *
   * @param state of the part's group
   * @param watermark the current watermark, which decides what is late
   * @param timers of the group
   * @return whether it was too late for at least one window
   */
  public boolean add(State state, TablePart part, long watermark, Timers timers) {
    long pane = part.getPane();
    long over = pane + windows.pane();
    TableTotals before = state.totals();
    TableTotals totals = copy(before, pane);
    boolean idle = before != null && !state.windows().iterator().hasNext();
    if (idle && windows.running()) {
      timers.delete(expires(before));
    }
    boolean late = false;
    boolean kept = false;
    for (long end : windows.ends(pane)) {
      if (end <= totals.getClosed() || windows.closing(end) <= watermark) {
        late = true;
        continue;
      }
      TableWindow window = state.window(end);
      state.putWindow(end, new TableWindow(window == null ? 0 : window.getWritten(), true));
      timers.register(end - 1);
      timers.register(windows.closing(end));
      kept = true;
    }
    if (kept) {
      TablePart known = state.pane(pane);
      state.putPane(known == null ? part : merge(known, part));
    }
    if (late) {
      totals.setLate(totals.getLate() + part.getRecords());
    }
    if (windows.running() && (!kept || over <= totals.getUntil())) {
      // added directly: the totals already include the rest of its pane, or never will
      fold(state, totals, List.of(part));
      if (totals.getUntil() == Long.MIN_VALUE) {
        totals.setUntil(over);
      }
    }
    if (kept || before != null || windows.running()) {
      state.putTotals(totals);
    }
    if (!kept && windows.running() && (idle || before == null)) {
      timers.register(expires(totals));
    }
    return late;
  }

  /**
   * Emits the tables that are due.
   *
   * @param state of the group
   * @param watermark the current one
   * @param timers of the group
   * @param out receives the due tables: windows in order of their ends, each followed by its
   *     running table
   */
  public void advance(State state, String group, long watermark, Timers timers, Tables out) {
    TableTotals known = state.totals();
    if (known == null) {
      return;
    }
    TableTotals totals = copy(known, known.getSince());
    boolean open = false;
    for (long end : sorted(state.windows())) {
      TableWindow window = state.window(end);
      if (window.getChanged() && end - 1 <= watermark) {
        state.putWindow(end, new TableWindow(window.getWritten() + 1, false));
        takeIn(state, totals, end);
        write(group, totals, window(state, end), end, window.getWritten(), out);
        writeRunning(state, group, totals, out);
      }
      if (windows.closing(end) <= watermark) {
        state.removeWindow(end);
        totals.setClosed(Math.max(totals.getClosed(), end));
      } else {
        open = true;
      }
    }
    for (long pane : sorted(state.panes())) {
      if (windows.closing(windows.lastEnd(pane)) <= watermark) {
        state.removePane(pane);
      }
    }
    if (watermark == Long.MAX_VALUE) {
      // the end of the input, or of a drained job, whose savepoint contains the totals
      writeRunning(state, group, totals, out);
      state.putTotals(totals);
      long drop = windows.running() ? expires(totals) : windows.closing(last(totals));
      if (drop < TableWindows.NEVER) {
        timers.register(drop);
      }
    } else if (open) {
      state.putTotals(totals);
    } else {
      putOrExpire(state, totals, group, watermark, timers, out);
    }
  }

  /** Stores the totals of a group without open windows until they expire, if they are needed. */
  private void putOrExpire(
      State state, TableTotals totals, String group, long watermark, Timers timers, Tables out) {
    long expires = expires(totals);
    if (windows.running() && expires > watermark) {
      state.putTotals(totals);
      timers.register(expires);
      return;
    }
    writeRunning(state, group, totals, out);
    state.removeTotals();
    timers.delete(TableWindows.NEVER); // from before a change of the job file
  }

  private long expires(TableTotals totals) {
    return windows.expires(last(totals));
  }

  /** The end of the group's last window or pane. */
  private static long last(TableTotals totals) {
    return Math.max(Math.max(totals.getClosed(), totals.getUntil()), totals.getSince());
  }

  /** Adds the panes up to the end of a window to the totals. */
  private void takeIn(State state, TableTotals totals, long end) {
    if (!windows.running() || end <= totals.getUntil()) {
      return;
    }
    List<TablePart> over = new ArrayList<>();
    for (long pane : sorted(state.panes())) {
      long ends = pane + windows.pane();
      if (ends <= end && ends > totals.getUntil()) {
        over.add(state.pane(pane));
      }
    }
    totals.setUntil(end);
    if (!over.isEmpty()) {
      fold(state, totals, over);
    }
  }

  private void fold(State state, TableTotals totals, List<TablePart> parts) {
    List<byte[]> counts = new ArrayList<>();
    for (TablePart part : parts) {
      counts.add(bytes(part.getCounts()));
      totals.setRecords(totals.getRecords() + part.getRecords());
    }
    total.add(state, counts);
    totals.setChanged(true);
  }

  private List<TablePart> window(State state, long end) {
    List<TablePart> panes = new ArrayList<>();
    for (long pane : sorted(state.panes())) {
      if (pane >= end - windows.size() && pane < end) {
        panes.add(state.pane(pane));
      }
    }
    return panes;
  }

  private void write(
      String group, TableTotals totals, List<TablePart> panes, long end, int revision, Tables out) {
    long records = 0;
    List<byte[]> counts = new ArrayList<>();
    for (TablePart pane : panes) {
      records += pane.getRecords();
      counts.add(bytes(pane.getCounts()));
    }
    long start = end - windows.size();
    TableScope scope =
        new TableScope(group, false, start, end, revision, records, totals.getLate());
    out.due(scope, merge(counts));
  }

  private void writeRunning(State state, String group, TableTotals totals, Tables out) {
    if (!totals.getChanged()) {
      return;
    }
    totals.setChanged(false);
    TableScope scope =
        new TableScope(
            group,
            true,
            totals.getSince(),
            totals.getUntil(),
            0,
            totals.getRecords(),
            totals.getLate());
    out.due(scope, total.all(state));
  }

  private TablePart merge(TablePart one, TablePart other) {
    byte[] counts = merge(List.of(bytes(one.getCounts()), bytes(other.getCounts())));
    return new TablePart(
        one.getGroup(),
        one.getPane(),
        one.getRecords() + other.getRecords(),
        ByteBuffer.wrap(counts));
  }

  private byte[] merge(List<byte[]> counts) {
    return counts.size() == 1 ? counts.get(0) : stage.merge(counts);
  }

  /**
   * A modifiable copy of the totals, to be stored later, because the engine may be writing those in
   * the state.
   */
  private static TableTotals copy(TableTotals known, long pane) {
    if (known == null) {
      return new TableTotals(pane, Long.MIN_VALUE, Long.MIN_VALUE, 0L, 0L, false);
    }
    return new TableTotals(
        Math.min(known.getSince(), pane),
        known.getUntil(),
        known.getClosed(),
        known.getRecords(),
        known.getLate(),
        known.getChanged());
  }

  /** A sorted copy, so that the state may change during iteration. */
  private static List<Long> sorted(Iterable<Long> times) {
    List<Long> sorted = new ArrayList<>();
    times.forEach(sorted::add);
    Collections.sort(sorted);
    return sorted;
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }
}
