package io.latimer.operators.nmt.decode;

import io.latimer.operators.OperatorException;
import io.latimer.operators.nmt.model.BeamRule;
import io.latimer.operators.nmt.model.SearchSettings;
import io.latimer.operators.nmt.model.Shortlist;
import java.io.Serializable;

/**
 * How {@link Decode} searches.
 *
 * @param beamSize initial number of live hypotheses per sentence, 1 to 64; 1 is greedy search, and
 *     {@value #MODELS_BEAM} stands for the number that the model's authors search with, or {@value
 *     #USUAL_BEAM} if they do not say
 * @param nBest hypotheses returned per sentence, 1 to {@code beamSize}
 * @param lengthNormalization alpha, 0 to 10: hypotheses are ranked by {@code score / n^alpha},
 *     where n is the number of tokens including the end token; 0 ranks by score, 1 is Amun's rule
 * @param maxLengthFactor limit of a hypothesis' length as a multiple of its source's number of
 *     tokens (including the end token), rounded up; above 0, at most 100
 * @param allowUnknown whether to allow the unknown word (id 1); if not, its score is minus infinity
 *     after the softmax
 * @param scores whether to compute scores; if not, they are NaN, and greedy search skips the
 *     softmax. The hypotheses and their order are the same either way
 * @param alignment whether to keep the attention
 * @param shortlist whether to use the model's {@link Shortlist}, if it has one
 */
public record DecodeOptions(
    int beamSize,
    int nBest,
    float lengthNormalization,
    float maxLengthFactor,
    boolean allowUnknown,
    boolean scores,
    boolean alignment,
    boolean shortlist)
    implements Serializable {

  private static final long serialVersionUID = 1L;

  /** Stands for the beam size that the model's authors search with. */
  public static final int MODELS_BEAM = 0;

  private static final int USUAL_BEAM = 5;

  /** The maximum beam size. */
  public static final int MAX_BEAM = BeamRule.MAX_BEAM;

  /**
   * Checks the ranges.
   *
   * @throws OperatorException if a number is out of range
   */
  public DecodeOptions {
    check(beamSize >= 0 && beamSize <= MAX_BEAM, "beam size", "from 1 to " + MAX_BEAM, beamSize);
    int most = beamSize == MODELS_BEAM ? MAX_BEAM : beamSize;
    check(nBest >= 1 && nBest <= most, "n-best", "from 1 to the beam size, " + most, nBest);
    check(
        lengthNormalization >= 0 && lengthNormalization <= 10,
        "length normalization",
        "from 0 to 10",
        lengthNormalization);
    check(
        maxLengthFactor > 0 && maxLengthFactor <= 100,
        "maximum length factor",
        "above 0 and at most 100",
        maxLengthFactor);
  }

  private static void check(boolean holds, String what, String range, Object found) {
    if (!holds) {
      throw new OperatorException("the " + what + " must be " + range + ", found " + found);
    }
  }

  /** The maximum number of target tokens for a number of source tokens, including end tokens. */
  public int limit(int sourceTokens) {
    return Math.max(1, (int) Math.ceil((double) maxLengthFactor * sourceTokens));
  }

  /** A copy for a model, whose beam size counts if none is given. */
  public DecodeOptions forModel(SearchSettings model) {
    if (beamSize != MODELS_BEAM) {
      return this;
    }
    int size = model.beamSize() > 0 ? model.beamSize() : USUAL_BEAM;
    return new DecodeOptions(
        Math.max(size, nBest),
        nBest,
        lengthNormalization,
        maxLengthFactor,
        allowUnknown,
        scores,
        alignment,
        shortlist);
  }

  /** Greedy search with scores. */
  public static DecodeOptions greedy() {
    return beam(1);
  }

  /**
   * Beam search, best hypothesis with scores, alpha 1, length factor 3, unknown word forbidden,
   * with the shortlist if there is one.
   */
  public static DecodeOptions beam(int beamSize) {
    return new DecodeOptions(beamSize, 1, 1f, 3f, false, true, false, true);
  }

  /** A copy with another number of hypotheses per sentence: 1 to the beam size. */
  public DecodeOptions withNBest(int n) {
    return new DecodeOptions(
        beamSize,
        n,
        lengthNormalization,
        maxLengthFactor,
        allowUnknown,
        scores,
        alignment,
        shortlist);
  }

  /** A copy with another alpha: 0 to 10; 0 ranks by score. */
  public DecodeOptions withLengthNormalization(float alpha) {
    return new DecodeOptions(
        beamSize, nBest, alpha, maxLengthFactor, allowUnknown, scores, alignment, shortlist);
  }

  /** A copy with another length factor: above 0, at most 100. */
  public DecodeOptions withMaxLengthFactor(float factor) {
    return new DecodeOptions(
        beamSize, nBest, lengthNormalization, factor, allowUnknown, scores, alignment, shortlist);
  }

  /** A copy with or without scores; greedy search is faster without. */
  public DecodeOptions withScores(boolean wanted) {
    return new DecodeOptions(
        beamSize,
        nBest,
        lengthNormalization,
        maxLengthFactor,
        allowUnknown,
        wanted,
        alignment,
        shortlist);
  }

  /** A copy that keeps attention or not. */
  public DecodeOptions withAlignment(boolean wanted) {
    return new DecodeOptions(
        beamSize,
        nBest,
        lengthNormalization,
        maxLengthFactor,
        allowUnknown,
        scores,
        wanted,
        shortlist);
  }

  /** A copy that uses the model's shortlist, if any, or not. */
  public DecodeOptions withShortlist(boolean used) {
    return new DecodeOptions(
        beamSize,
        nBest,
        lengthNormalization,
        maxLengthFactor,
        allowUnknown,
        scores,
        alignment,
        used);
  }
}
