package io.latimer.operators.align;

/**
 * The prior probability that a word is linked to a position of the other sentence, which is higher
 * near the diagonal of the alignment matrix (Dyer, Chahuneau and Smith, "A Simple, Fast, and
 * Effective Reparameterization of IBM Model 2", 2013, equation 1).
 *
 * @param tension how fast the probability falls with the distance from the diagonal, which is 0 to
 *     1; 0 for a uniform distribution
 * @param nullProbability the probability that a word is linked to nothing, 0 to 1
 */
record DiagonalPrior(double tension, double nullProbability) {
  DiagonalPrior {
    if (!(tension >= 0 && tension <= 100)) {
      throw new IllegalArgumentException("the tension must be 0 to 100, is " + tension);
    }
    if (!(nullProbability >= 0 && nullProbability <= 1)) {
      throw new IllegalArgumentException(
          "the probability of a link to nothing must be 0 to 1, is " + nullProbability);
    }
  }

  /**
   * Fills in the probability of every place for one word. Together with {@link #nullProbability}
   * they sum to 1.
   *
   * @param place the word's place in its sentence, from 0
   * @param words words of its sentence
   * @param probabilities receives one for each place of the other sentence; 1 or more
   */
  void fill(int place, int words, double[] probabilities) {
    int given = probabilities.length;
    // The last position at or before the diagonal, -1 if there is none. On either side, weights
    // decay geometrically, so a row takes three exponentials: one per side and one for the factor.
    int diagonal = (int) ((place + 1L) * given / words) - 1;
    double factor = StrictMath.exp(-tension / given);
    double sum = 0;
    double weight = weight(place, words, diagonal, given);
    for (int i = diagonal; i >= 0; i--) {
      probabilities[i] = weight;
      sum += weight;
      weight *= factor;
    }
    weight = weight(place, words, diagonal + 1, given);
    for (int i = diagonal + 1; i < given; i++) {
      probabilities[i] = weight;
      sum += weight;
      weight *= factor;
    }
    double scale = (1 - nullProbability) / sum;
    for (int i = 0; i < given; i++) {
      probabilities[i] *= scale;
    }
  }

  private double weight(int place, int words, int givenPlace, int given) {
    return StrictMath.exp(-tension * distance(place, words, givenPlace, given));
  }

  /**
   * How far two places are from the diagonal, as a share of the sentences: 0 to 1.
   *
   * @param place in a sentence, from 0
   * @param words words of this sentence
   * @param givenPlace in the other sentence, from 0
   * @param given words of the other sentence
   */
  static double distance(int place, int words, int givenPlace, int given) {
    return Math.abs((givenPlace + 1.0) / given - (place + 1.0) / words);
  }
}
