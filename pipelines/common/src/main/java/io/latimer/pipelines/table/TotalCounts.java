package io.latimer.pipelines.table;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The counts of running totals, stored in segments of geometrically growing sizes, so that an
 * addition rewrites little of the state and incremental checkpoints stay small. It is stateless:
 * the engine keeps the segments.
 *
 * <p>A segment of level 0 has less than 64 KiB, one of level L at least 2^(L-1) times as much and
 * less than 2^L times. There is at most one of each level. Added counts are merged with the
 * segments up to their own level, and with higher ones while the result has the level of one. So a
 * large segment is rewritten only after at least half as much was added, and added counts are
 * written at most a few times per level.
 *
 * @param merge merges one or more serialized counts
 */
record TotalCounts(Function<List<byte[]>, byte[]> merge) {
  /** The segments of one group. */
  interface Segments {
    /**
     * The segment of a level, or null.
     *
     * @param level from its size, 0 to 15
     */
    byte[] counts(int level);

    void putCounts(int level, byte[] counts);

    void removeCounts(int level);
  }

  /** Number of levels, because arrays are smaller than 2 GiB. */
  static final int LEVELS = 16;

  /** Log2 of the size limit of segments of level 0. */
  private static final int BITS = 16;

  /** The level of a segment of a size in bytes. */
  static int level(int bytes) {
    return Math.max(0, Integer.SIZE - Integer.numberOfLeadingZeros(bytes) - BITS);
  }

  /**
   * Adds counts to the totals of a group.
   *
   * @param more serialized counts; one or more
   */
  void add(Segments state, List<byte[]> more) {
    byte[] sum = merge.apply(more);
    for (int level = 0; level <= level(sum.length); level++) {
      byte[] segment = state.counts(level);
      if (segment != null) {
        state.removeCounts(level);
        sum = merge.apply(List.of(segment, sum));
      }
    }
    state.putCounts(level(sum.length), sum);
  }

  /** All counts of a group, which must have some. */
  byte[] all(Segments state) {
    List<byte[]> segments = new ArrayList<>();
    for (int level = 0; level < LEVELS; level++) {
      byte[] segment = state.counts(level);
      if (segment != null) {
        segments.add(segment);
      }
    }
    return merge.apply(segments);
  }
}
