package io.latimer.operators.nmt.decode;

import java.util.List;

/**
 * What a source sentence became.
 *
 * @param nBest at least one hypothesis, best first by normalized score, whether they have scores or
 *     not
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
