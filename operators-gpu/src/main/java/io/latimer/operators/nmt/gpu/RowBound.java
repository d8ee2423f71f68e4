package io.latimer.operators.nmt.gpu;

/**
 * An upper bound of the hypotheses that live in a step, for a host that knows them only some steps
 * later. A sentence joins with one, has at most a beam of them from its second step on, and never
 * more than at the end of its first step, if it may say no fewer words than the beam has
 * hypotheses.
 */
final class RowBound {
  private final int beam;
  private final boolean growsOnce;

  /** Sentences that joined just before each of the last steps, by number of step. */
  private final int[] joined;

  private long nextStep;
  private long reportedStep = -1;
  private int reportedRows;

  /**
   * Starts with a search in which nobody is.
   *
   * @param words that every sentence may say, at least
   * @param ahead most steps that have been launched and not reported
   */
  RowBound(int beam, int words, int ahead) {
    this.beam = beam;
    this.growsOnce = words - 2 >= beam; // the end and the unknown word aside
    this.joined = new int[ahead + 1];
  }

  /** Sentences have joined: they take part from the next step on. */
  void joined(int sentences) {
    joined[slot(nextStep)] += sentences;
  }

  /**
   * The most rows of the next step.
   *
   * @param live sentences that have joined and are not known to have ended
   */
  int next(int live) {
    int fresh = joined[slot(nextStep)];
    long known = (long) beam * (live - fresh);
    if (growsOnce) {
      long grown = reportedRows;
      for (long step = reportedStep + 1; step < nextStep; step++) {
        grown += (long) beam * joined[slot(step)];
      }
      known = Math.min(known, grown);
    }
    return (int) Math.max(1, known + fresh);
  }

  /** The next step has been launched. */
  void launched() {
    nextStep++;
    joined[slot(nextStep)] = 0;
  }

  /**
   * A step has been done.
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

  /** The rows that a step is launched for: few numbers, so that few graphs serve all. */
  static int bucket(int rows, int most) {
    int power = Integer.highestOneBit(rows);
    int up = rows == power ? rows : rows <= power + power / 2 ? power + power / 2 : 2 * power;
    return Math.min(up, most);
  }
}
