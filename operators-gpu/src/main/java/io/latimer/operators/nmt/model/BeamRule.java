package io.latimer.operators.nmt.model;

/**
 * What happens when a hypothesis ends in a beam search, and when the search is over. Greedy search
 * is the same with every rule.
 */
public enum BeamRule {
  /**
   * The beam is smaller from then on; the search is over when all hypotheses have ended. Amun's and
   * Marian's rule.
   */
  SHRINK,

  /**
   * The next best takes its place; the search is over when as many have ended as the beam has
   * places. CTranslate2's rule, and that of transformers with {@code early_stopping}.
   */
  FIRST_ENDED,

  /**
   * The next best takes its place, and the best that have ended are kept, as many as the beam has
   * places; the search is over when they are so many and no live hypothesis has a better normalized
   * score than the worst of them. The rule of transformers.
   */
  BEST_ENDED;

  /** The largest beam. */
  public static final int MAX_BEAM = 64;

  /** Whether the next best hypothesis takes the place of one that ends. */
  public boolean refills() {
    return this != SHRINK;
  }

  /**
   * How many continuations each hypothesis offers: one of them may be the end, whose place another
   * takes. At most {@link #MAX_BEAM}.
   */
  public int candidates(int beamSize) {
    return refills() && beamSize > 1 ? Math.min(beamSize + 1, MAX_BEAM) : beamSize;
  }
}
