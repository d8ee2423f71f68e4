package io.latimer.operators.nmt.decode;

import java.util.List;

/**
 * The result for a source sentence.
 *
 * @param nBest at least one hypothesis, best first by normalized score, with or without scores
 */
public record Decoded(List<Hypothesis> nBest) {
  public Decoded {
    nBest = List.copyOf(nBest);
    if (nBest.isEmpty()) {
      throw new IllegalArgumentException("a decoded sentence has at least one hypothesis");
    }
  }

  /** The best hypothesis. */
  public Hypothesis best() {
    return nBest.get(0);
  }
}
