package io.latimer.operators.nmt.convert;

import io.latimer.operators.OperatorException;
import io.latimer.operators.nmt.model.Shortlist;

/**
 * How much of a lexical table a model keeps, as the numbers behind the file of Marian's {@code
 * --shortlist}.
 *
 * @param first most frequent target words, the lowest ids, that every sentence may say; 2 up
 * @param best most probable target words of each source word; 0 up
 * @param threshold only those more probable than this; from 0, below 1
 */
public record ShortlistSettings(int first, int best, float threshold) {
  /** Marian's own: 100, 100, 0. */
  public static final ShortlistSettings DEFAULTS = new ShortlistSettings(100, 100, 0);

  public ShortlistSettings {
    check(
        first >= Shortlist.LEAST_FIRST,
        "first words must be 2 or more, for the end and the unknown word",
        first);
    check(best >= 0, "best words must be 0 or more", best);
    check(threshold >= 0 && threshold < 1, "threshold must be from 0 and below 1", threshold);
  }

  private static void check(boolean holds, String what, Object found) {
    if (!holds) {
      throw new OperatorException("the shortlist's " + what + ", found " + found);
    }
  }
}
