package io.latimer.operators.nmt.convert;

import io.latimer.operators.OperatorException;
import io.latimer.operators.nmt.model.Shortlist;

/**
 * How much of a lexical table a model keeps: the numbers after the file in Marian's {@code
 * --shortlist}.
 *
 * @param first number of most frequent target words (lowest ids) that are always allowed; at least
 *     2
 * @param best number of most probable target words per source word; at least 0
 * @param threshold minimum probability, exclusive; at least 0 and below 1
 */
public record ShortlistSettings(int first, int best, float threshold) {
  /** Marian's defaults: 100, 100, 0. */
  public static final ShortlistSettings DEFAULTS = new ShortlistSettings(100, 100, 0);

  public ShortlistSettings {
    check(
        first >= Shortlist.LEAST_FIRST,
        "first words must be 2 or more, for the end token and the unknown word",
        first);
    check(best >= 0, "best words must be 0 or more", best);
    check(threshold >= 0 && threshold < 1, "threshold must be at least 0 and below 1", threshold);
  }

  private static void check(boolean holds, String what, Object found) {
    if (!holds) {
      throw new OperatorException("the shortlist's " + what + ", found " + found);
    }
  }
}
