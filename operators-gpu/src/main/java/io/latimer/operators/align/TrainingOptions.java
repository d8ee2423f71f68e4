package io.latimer.operators.align;

/**
 * How alignment models are trained. The defaults are those of fast_align when it favors the
 * diagonal, optimizes the tension and smooths.
 *
 * @param iterations passes over the text, 1 to 1000; the last one makes the alignments
 * @param nullProbability prior probability that a word is linked to nothing, above 0 and below 1
 * @param concentration of the Dirichlet prior of a word's translations, above 0; small values make
 *     most of them improbable
 */
public record TrainingOptions(int iterations, double nullProbability, double concentration) {
  /** Five passes, 0.08 and 0.01. */
  public static final TrainingOptions DEFAULTS = new TrainingOptions(5, 0.08, 0.01);

  /** Checks the values. */
  public TrainingOptions {
    if (iterations < 1 || iterations > 1000) {
      throw new IllegalArgumentException("iterations must be 1 to 1000, are " + iterations);
    }
    if (!(nullProbability > 0 && nullProbability < 1)) {
      throw new IllegalArgumentException(
          "the probability of a link to nothing must be above 0 and below 1, is "
              + nullProbability);
    }
    if (!(concentration > 0 && concentration <= 1000)) {
      throw new IllegalArgumentException(
          "the concentration must be above 0 and at most 1000, is " + concentration);
    }
  }
}
