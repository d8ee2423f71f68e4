package io.latimer.operators.nmt.decode;

import java.util.List;
import java.util.OptionalDouble;

/**
 * The result for a source sentence.
 *
 * @param nBest at least one hypothesis, best first by normalized score, with or without scores
 * @param quality the probability that the best one is right, 0 to 1, of a decoder that judges
 *     itself
 */
public record Decoded(List<Hypothesis> nBest, OptionalDouble quality) {
  public Decoded {
    nBest = List.copyOf(nBest);
    if (nBest.isEmpty()) {
      throw new IllegalArgumentException("a decoded sentence has at least one hypothesis");
    }
  }

  /** A result that its decoder has not judged. */
  public Decoded(List<Hypothesis> nBest) {
    this(nBest, OptionalDouble.empty());
  }

  /** The best hypothesis. */
  public Hypothesis best() {
    return nBest.get(0);
  }
}
