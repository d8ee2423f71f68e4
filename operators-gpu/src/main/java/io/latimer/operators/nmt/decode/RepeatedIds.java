package io.latimer.operators.nmt.decode;

import java.util.function.IntUnaryOperator;

/**
 * Loops, into which a decoder may fall: ids that follow themselves again and again. Ids loop where
 * their last n repeat the same p, with p from 1 to {@value #LONGEST} and n = max({@value #LEAST}, 3
 * p). Kernels use the same rule (LAT_NMT_END_LOOPS).
 */
public final class RepeatedIds {
  /** The largest number of ids that are repeated together. */
  private static final int LONGEST = 16;

  /**
   * The smallest number of ids in a loop; live hypotheses are looked at each time they grew by it.
   */
  public static final int LEAST = 16;

  private static final int REPEATED = 3;

  private RepeatedIds() {}

  private static int needed(int period) {
    return Math.max(LEAST, REPEATED * period);
  }

  /** The number of last ids that decide whether {@link #atEnd} holds. */
  public static int lookedAt(int ids) {
    return Math.min(ids, needed(LONGEST));
  }

  /**
   * Whether ids end in a loop.
   *
   * @param ids their number
   * @param last the i-th from the end, from 0 to {@link #lookedAt} - 1
   */
  public static boolean atEnd(int ids, IntUnaryOperator last) {
    for (int period = 1; period <= LONGEST && needed(period) <= ids; period++) {
      int i = 0;
      int most = needed(period) - period;
      while (i < most && last.applyAsInt(i) == last.applyAsInt(i + period)) {
        i++;
      }
      if (i == most) {
        return true;
      }
    }
    return false;
  }

  /** Whether ids loop anywhere. */
  public static boolean anywhere(int[] ids) {
    for (int period = 1; period <= LONGEST && needed(period) <= ids.length; period++) {
      int same = 0; // ids in a row that equal the one a period before
      for (int i = period; i < ids.length; i++) {
        same = ids[i] == ids[i - period] ? same + 1 : 0;
        if (same >= needed(period) - period) {
          return true;
        }
      }
    }
    return false;
  }
}
