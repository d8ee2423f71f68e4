package io.latimer.pipelines.table;

import io.latimer.schemas.TablePart;
import io.latimer.schemas.TableTotals;
import io.latimer.schemas.TableWindow;
import java.util.HashMap;
import java.util.Map;

/** The state of one group in maps. */
final class TableState implements TableAssembler.State {
  private final Map<Long, TablePart> panes = new HashMap<>();
  private final Map<Long, TableWindow> windows = new HashMap<>();
  private final Map<Integer, byte[]> counts = new HashMap<>();
  private TableTotals totals;
  private long written;

  @Override
  public TablePart pane(long start) {
    return panes.get(start);
  }

  @Override
  public void putPane(TablePart pane) {
    panes.put(pane.getPane(), pane);
  }

  @Override
  public void removePane(long start) {
    panes.remove(start);
  }

  @Override
  public Iterable<Long> panes() {
    return panes.keySet();
  }

  @Override
  public TableWindow window(long end) {
    return windows.get(end);
  }

  @Override
  public void putWindow(long end, TableWindow window) {
    windows.put(end, window);
  }

  @Override
  public void removeWindow(long end) {
    windows.remove(end);
  }

  @Override
  public Iterable<Long> windows() {
    return windows.keySet();
  }

  @Override
  public TableTotals totals() {
    return totals;
  }

  @Override
  public void putTotals(TableTotals value) {
    totals = value;
  }

  @Override
  public void removeTotals() {
    totals = null;
    counts.clear();
  }

  @Override
  public byte[] counts(int level) {
    return counts.get(level);
  }

  @Override
  public void putCounts(int level, byte[] segment) {
    counts.put(level, segment);
    written += segment.length;
  }

  @Override
  public void removeCounts(int level) {
    counts.remove(level);
  }

  /** The segments of the totals' counts by level. */
  Map<Integer, byte[]> segments() {
    return counts;
  }

  /** Bytes of all segments that were put. */
  long written() {
    return written;
  }

  boolean holdsNoWindows() {
    return panes.isEmpty() && windows.isEmpty();
  }
}
