package io.latimer.pipelines.record;

import io.latimer.schemas.Correction;
import java.util.ArrayList;
import java.util.List;

/** A builder of the corrections of one {@code append} command, with its limits. */
public final class AppendPart {
  private final List<Correction> corrections = new ArrayList<>();
  private int size;
  private long cells;

  /**
   * Whether there is room for a correction; always true for the first one.
   *
   * @throws io.latimer.operators.RecordException if it cannot be learned
   */
  public boolean hasRoomFor(Correction next) {
    return corrections.isEmpty()
        || (!isFull() && cells + Corrections.cells(next) <= Corrections.MAX_CELLS);
  }

  /** Whether there is no room for another correction. */
  public boolean isFull() {
    return corrections.size() >= Corrections.MOST || size >= Corrections.MAX_SIZE;
  }

  /**
   * Adds a correction.
   *
   * @throws io.latimer.operators.RecordException if it cannot be learned
   */
  public void add(Correction correction) {
    cells += Corrections.cells(correction);
    size += Corrections.size(correction);
    corrections.add(correction);
  }

  /** The corrections, in the order in which they were added. */
  public List<Correction> corrections() {
    return List.copyOf(corrections);
  }
}
