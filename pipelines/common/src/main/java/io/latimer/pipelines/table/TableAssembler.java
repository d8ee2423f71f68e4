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
import java.util.function.Consumer;
import org.apache.avro.specific.SpecificRecordBase;

/**
 * Assembles the tables of windows from the counts of their panes, and keeps running totals. It is
 * stateless: an engine keeps the state of each group and passes it in.
 *
 * <p>A window's table is made once the watermark has passed its end, and again with a higher
 * revision if more was counted before its allowed lateness ends. Later records are counted as late,
 * and in the running totals only. A running table follows the window's and covers all panes that
 * ended by then.
 *
 * @param <T> the table
 */
public final class TableAssembler<T extends SpecificRecordBase> {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /** The state of one group. Stored values are never modified. */
  public interface State {
    /** The pane that starts then, or null. */
    TablePart pane(long start);

    void putPane(TablePart pane);

    void removePane(long start);

    /** The starts of the panes, in any order. */
    Iterable<Long> panes();

    /** The window that ends then, or null. */
    TableWindow window(long end);

    void putWindow(long end, TableWindow window);

    void removeWindow(long end);

    /** The ends of the windows, in any order. */
    Iterable<Long> windows();

    /** The totals so far, or null. */
    TableTotals totals();

    void putTotals(TableTotals totals);
  }

  private final TableStage<T> stage;
  private final TableWindows windows;

  /**
   * Makes an assembler.
   *
   * @param stage need not be open
   */
  public TableAssembler(TableStage<T> stage) {
    this.stage = stage;
    this.windows = stage.windows();
  }

  /**
   * Adds counts of a pane.
   *
   * @param state of the part's group
   * @param watermark the current one, which decides what is late
   * @param timers receives the event times at which to call {@link #advance}
   * @return whether it was too late for at least one window
   */
  public boolean add(State state, TablePart part, long watermark, Consumer<Long> timers) {
    long pane = part.getPane();
    long over = pane + windows.pane();
    TableTotals totals = totals(state, pane);
    boolean late = false;
    boolean kept = false;
    for (long end : windows.ends(pane)) {
      if (end <= totals.getClosed() || windows.closing(end) <= watermark) {
        late = true;
        continue;
      }
      TableWindow window = state.window(end);
      state.putWindow(end, new TableWindow(window == null ? 0 : window.getWritten(), true));
      timers.accept(end - 1);
      timers.accept(windows.closing(end));
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
      // the totals already include its pane without it, or never will
      fold(totals, List.of(part));
      if (totals.getUntil() == Long.MIN_VALUE) {
        totals.setUntil(over);
      }
    }
    state.putTotals(totals);
    // the last running table, when the input ends
    timers.accept(Long.MAX_VALUE);
    return late;
  }

  /**
   * Makes the tables that are due.
   *
   * @param state of the group
   * @param watermark the current one
   * @param out receives the tables: windows in order of their ends, each before its running table
   */
  public void advance(State state, String group, long watermark, Consumer<T> out) {
    TableTotals totals = totals(state, Long.MAX_VALUE);
    for (long end : sorted(state.windows())) {
      TableWindow window = state.window(end);
      if (window.getChanged() && end - 1 <= watermark) {
        state.putWindow(end, new TableWindow(window.getWritten() + 1, false));
        takeIn(state, totals, end);
        write(group, totals, window(state, end), end, window.getWritten(), out);
        writeRunning(group, totals, out);
      }
      if (windows.closing(end) <= watermark) {
        state.removeWindow(end);
        totals.setClosed(Math.max(totals.getClosed(), end));
      }
    }
    for (long pane : sorted(state.panes())) {
      if (windows.closing(windows.lastEnd(pane)) <= watermark) {
        state.removePane(pane);
      }
    }
    if (watermark == Long.MAX_VALUE) {
      writeRunning(group, totals, out);
    }
    state.putTotals(totals);
  }

  /** Adds the panes that ended by the end of a window to the totals. */
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
      fold(totals, over);
    }
  }

  private void fold(TableTotals totals, List<TablePart> parts) {
    List<byte[]> counts = new ArrayList<>();
    if (totals.getCounts().hasRemaining()) {
      counts.add(bytes(totals.getCounts()));
    }
    for (TablePart part : parts) {
      counts.add(bytes(part.getCounts()));
      totals.setRecords(totals.getRecords() + part.getRecords());
    }
    totals.setCounts(ByteBuffer.wrap(merge(counts)));
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
      String group,
      TableTotals totals,
      List<TablePart> panes,
      long end,
      int revision,
      Consumer<T> out) {
    long records = 0;
    List<byte[]> counts = new ArrayList<>();
    for (TablePart pane : panes) {
      records += pane.getRecords();
      counts.add(bytes(pane.getCounts()));
    }
    long start = end - windows.size();
    TableScope scope =
        new TableScope(group, false, start, end, revision, records, totals.getLate());
    out.accept(stage.table(scope, merge(counts)));
  }

  private void writeRunning(String group, TableTotals totals, Consumer<T> out) {
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
    out.accept(stage.table(scope, bytes(totals.getCounts())));
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

  /** A modifiable copy of the totals: an engine may be writing those in the state. */
  private static TableTotals totals(State state, long pane) {
    TableTotals known = state.totals();
    if (known == null) {
      return new TableTotals(pane, Long.MIN_VALUE, Long.MIN_VALUE, 0L, 0L, NOTHING, false);
    }
    return new TableTotals(
        Math.min(known.getSince(), pane),
        known.getUntil(),
        known.getClosed(),
        known.getRecords(),
        known.getLate(),
        known.getCounts(),
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
