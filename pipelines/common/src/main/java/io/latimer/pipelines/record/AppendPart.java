package io.latimer.pipelines.record;

import io.latimer.schemas.Correction;
import java.util.ArrayList;
import java.util.List;

/** Corrections for one {@code append} command, as many as it takes. */
public final class AppendPart {
  private final List<Correction> corrections = new ArrayList<>();
  private int size;
  private long cells;

  /**
   * Whether a correction has room. The first one always has.
   *
   * @throws io.latimer.operators.RecordException if it cannot be learned
   */
  public boolean hasRoomFor(Correction next) {
    return corrections.isEmpty()
        || (!isFull() && cells + Corrections.cells(next) <= Corrections.MAX_CELLS);
  }

  /** Whether no further correction has room. */
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
