package io.latimer.operators.quality;

import io.latimer.operators.OperatorException;
import java.io.Serializable;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How probable it is that a translation is right: a logistic regression over what is measured of
 * it. Each translator has one of its own, because what the numbers mean differs from one to the
 * next. Files have it as {@code docs/formats.md} and {@code docs/operators/phrase-translation.md}
 * specify.
 *
 * @param <F> the features
 * @param rightFrom a translation counted as right if its chrF against the reference, 0 to 100, was
 *     at least this
 * @param sentences number of sentences that it was trained on
 * @param bias what is added to the weighted sum
 * @param terms of the sum, each feature at most once
 */
public record QualityModel<F extends Enum<F>>(
    double rightFrom, int sentences, double bias, List<Term<F>> terms) implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Beyond it nothing gets worse: a bound for tokens of next to no probability. */
  private static final double FARTHEST = 20;

  /**
   * One feature.
   *
   * @param mean of the training
   * @param deviation its standard deviation there, above 0
   * @param weight of the feature less its mean, divided by the deviation
   */
  public record Term<F extends Enum<F>>(F feature, double mean, double deviation, double weight)
      implements Serializable {
    private static final long serialVersionUID = 1L;

    /**
     * How many deviations the feature is from its mean, at most 20 either way; the judge is trained
     * on the same number.
     *
     * @param features that include this term's
     */
    public double standardized(Map<F, Double> features) {
      double off = (features.get(feature) - mean) / deviation;
      return Math.max(-FARTHEST, Math.min(FARTHEST, off));
    }
  }

  /**
   * Checks the numbers.
   *
   * @throws OperatorException if one is not finite or out of range, or a feature is there twice
   */
  public QualityModel {
    terms = List.copyOf(terms);
    Set<F> seen = new HashSet<>();
    check(rightFrom >= 0 && rightFrom <= 100, "rightFrom must be from 0 to 100", rightFrom);
    check(sentences >= 0, "sentences must be 0 or more", sentences);
    check(Double.isFinite(bias), "bias must be finite", bias);
    for (Term<F> term : terms) {
      check(term.feature != null, "a term has no feature", term);
      check(seen.add(term.feature), "a feature has two terms", term);
      boolean finite =
          Double.isFinite(term.mean) && Double.isFinite(term.weight) && term.deviation > 0;
      check(finite && Double.isFinite(term.deviation), "a term is not finite", term);
    }
  }

  private static void check(boolean holds, String what, Object found) {
    if (!holds) {
      throw new OperatorException("the judge of quality: " + what + ", found " + found);
    }
  }

  /**
   * The probability that a translation is right, 0 to 1.
   *
   * @param features all of them
   */
  public double probability(Map<F, Double> features) {
    double sum = bias;
    for (Term<F> term : terms) {
      sum += term.weight * term.standardized(features);
    }
    return 1 / (1 + Math.exp(-sum));
  }
}
