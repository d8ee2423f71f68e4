package io.latimer.operators.nmt.gpu;

/**
 * An upper bound of the hypotheses that live in a step, for a host that learns their number only
 * some steps later. A sentence joins with one hypothesis and has at most beam-size hypotheses from
 * its second step on; if it allows at least as many words as the beam has hypotheses, never more
 * than at the end of its first step. With a prefix it has one until that ends, and then as many.
 */
final class RowBound {
  private final int beam;
  private final boolean growsOnce;

  /** Sentences that joined just before each of the last steps, by step number. */
  private final int[] joined;

  private long nextStep;
  private long reportedStep = -1;
  private int reportedRows;

  /**
   * Starts with an empty search.
   *
   * @param words minimum number of words that every sentence allows
   * @param ahead maximum number of steps launched and not yet reported
   */
  RowBound(int beam, int words, int ahead) {
    this.beam = beam;
    this.growsOnce = words - 2 >= beam; // excluding the end token and the unknown word
    this.joined = new int[ahead + 1];
  }

  /** Sentences have joined: they take part from the next step on. */
  void joined(int sentences) {
    joined[slot(nextStep)] += sentences;
  }

  /**
   * The maximum number of rows of the next step.
   *
   * @param live sentences that have joined and are not known to have ended
   * @param prefixed those of them with a prefix
   */
  int next(int live, int prefixed) {
    int fresh = joined[slot(nextStep)];
    long known = (long) beam * (live - fresh);
    if (growsOnce) {
      long grown = reportedRows + (beam - 1L) * prefixed;
      for (long step = reportedStep + 1; step < nextStep; step++) {
        grown += (long) beam * joined[slot(step)];
      }
      known = Math.min(known, grown);
    }
    return (int) Math.max(1, known + fresh);
  }

  /** The next step was launched. */
  void launched() {
    nextStep++;
    joined[slot(nextStep)] = 0;
  }

  /**
   * A step is done.
   *
   * @param rows live hypotheses after it, or after a later one
   */
  void reported(int rows) {
    reportedStep++;
    reportedRows = rows;
  }

  private int slot(long step) {
    return (int) (step % joined.length);
  }

  /** The number of rows to launch a step for: few distinct values, so that few graphs serve all. */
  static int bucket(int rows, int most) {
    int power = Integer.highestOneBit(rows);
    int up = rows == power ? rows : rows <= power + power / 2 ? power + power / 2 : 2 * power;
    return Math.min(up, most);
  }
}
