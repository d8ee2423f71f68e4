package io.latimer.operators.nmt.model;

/**
 * The buckets of relative positions (Raffel et al., 2020, T5): one for each short distance, and
 * wider and wider ones, on a logarithmic scale, for longer distances.
 */
public final class RelativePositions {
  /** Steps of the logarithmic scale that are whole numbers must not be rounded down. */
  private static final double ROUNDING = 1e-6;

  private RelativePositions() {}

  /**
   * The bucket of a distance.
   *
   * @param distance position of the word attended to minus that of the attending word
   * @param bothWays whether words that follow are attended to: half of the buckets are theirs;
   *     otherwise all following words are in bucket 0
   * @param buckets their number, even, 4 or more
   * @param most distance from which on all are in the last bucket, above half of the buckets
   */
  public static int bucket(int distance, boolean bothWays, int buckets, int most) {
    int size = bothWays ? buckets / 2 : buckets;
    int first = bothWays && distance > 0 ? size : 0;
    int apart = bothWays ? Math.abs(distance) : Math.max(0, -distance);
    int exact = size / 2;
    if (apart < exact) {
      return first + apart;
    }
    double scale =
        Math.log((double) apart / exact) / Math.log((double) most / exact) * (size - exact);
    return first + Math.min(size - 1, exact + (int) (scale + ROUNDING));
  }
}
