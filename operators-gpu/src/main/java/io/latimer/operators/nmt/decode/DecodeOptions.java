package io.latimer.operators.nmt.decode;

import io.latimer.operators.OperatorException;
import io.latimer.operators.nmt.model.BeamRule;
import io.latimer.operators.nmt.model.SearchSettings;
import io.latimer.operators.nmt.model.Shortlist;
import java.io.Serializable;
import java.util.EnumSet;
import java.util.Set;

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
 * @param switches what is on
 */
public record DecodeOptions(
    int beamSize, int nBest, float lengthNormalization, float maxLengthFactor, Set<Switch> switches)
    implements Serializable {

  private static final long serialVersionUID = 2L;

  /** Stands for the beam size that the model's authors search with. */
  public static final int MODELS_BEAM = 0;

  private static final int USUAL_BEAM = 5;

  /** The maximum beam size. */
  public static final int MAX_BEAM = BeamRule.MAX_BEAM;

  /** What can be on or off. */
  public enum Switch {
    /** The unknown word (id 1) is allowed; otherwise its score is minus infinity after softmax. */
    ALLOW_UNKNOWN,
    /**
     * Scores are computed; without, they are NaN, and greedy search skips the softmax. The
     * hypotheses and their order are the same either way.
     */
    SCORES,
    /** The attention is kept. */
    ALIGNMENT,
    /** The model's {@link Shortlist} is used, if it has one. */
    SHORTLIST,
    /** Hypotheses that run in a loop ({@link RepeatedIds}) end, and count after all others. */
    END_LOOPS,
    /**
     * Nothing is searched: the prefix of each sentence is its whole translation, which gets its
     * scores. Only with a beam of 1 and with scores; the shortlist is not used.
     */
    GIVEN
  }

  /**
   * Checks the ranges.
   *
   * @throws OperatorException if a number is out of range
   */
  public DecodeOptions {
    switches = Set.copyOf(switches);
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
    if (switches.contains(Switch.GIVEN)) {
      check(beamSize == 1, "beam size for given translations", "1", beamSize);
      check(switches.contains(Switch.SCORES), "scores of given translations", "on", "off");
    }
  }

  private static void check(boolean holds, String what, String range, Object found) {
    if (!holds) {
      throw new OperatorException("the " + what + " must be " + range + ", found " + found);
    }
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
    return new DecodeOptions(beamSize, 1, 1f, 3f, EnumSet.of(Switch.SCORES, Switch.SHORTLIST));
  }

  /** Scores of given translations, of up to 10 times as many tokens as their sources. */
  public static DecodeOptions given() {
    return greedy().withMaxLengthFactor(10).with(Switch.GIVEN, true);
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
    int size = Math.max(model.beamSize() > 0 ? model.beamSize() : USUAL_BEAM, nBest);
    return new DecodeOptions(size, nBest, lengthNormalization, maxLengthFactor, switches);
  }

  /** Whether something is on. */
  public boolean has(Switch what) {
    return switches.contains(what);
  }

  /** Whether scores are computed. */
  public boolean scores() {
    return has(Switch.SCORES);
  }

  /** Whether the attention is kept. */
  public boolean alignment() {
    return has(Switch.ALIGNMENT);
  }

  /** Whether the unknown word is allowed. */
  public boolean allowUnknown() {
    return has(Switch.ALLOW_UNKNOWN);
  }

  /** Whether the model's shortlist is used, if it has one. */
  public boolean shortlist() {
    return has(Switch.SHORTLIST) && !has(Switch.GIVEN);
  }

  /** A copy with something on or off. */
  public DecodeOptions with(Switch what, boolean on) {
    EnumSet<Switch> changed = EnumSet.noneOf(Switch.class);
    changed.addAll(switches);
    if (on) {
      changed.add(what);
    } else {
      changed.remove(what);
    }
    return new DecodeOptions(beamSize, nBest, lengthNormalization, maxLengthFactor, changed);
  }

  /** A copy with another number of hypotheses per sentence: 1 to the beam size. */
  public DecodeOptions withNBest(int n) {
    return new DecodeOptions(beamSize, n, lengthNormalization, maxLengthFactor, switches);
  }

  /** A copy with another alpha: 0 to 10; 0 ranks by score. */
  public DecodeOptions withLengthNormalization(float alpha) {
    return new DecodeOptions(beamSize, nBest, alpha, maxLengthFactor, switches);
  }

  /** A copy with another length factor: above 0, at most 100. */
  public DecodeOptions withMaxLengthFactor(float factor) {
    return new DecodeOptions(beamSize, nBest, lengthNormalization, factor, switches);
  }

  /** A copy that allows the unknown word or not. */
  public DecodeOptions withAllowUnknown(boolean allowed) {
    return with(Switch.ALLOW_UNKNOWN, allowed);
  }

  /** A copy with or without scores; greedy search is faster without. */
  public DecodeOptions withScores(boolean wanted) {
    return with(Switch.SCORES, wanted);
  }

  /** A copy that keeps attention or not. */
  public DecodeOptions withAlignment(boolean wanted) {
    return with(Switch.ALIGNMENT, wanted);
  }

  /** A copy that uses the model's shortlist, if any, or not. */
  public DecodeOptions withShortlist(boolean used) {
    return with(Switch.SHORTLIST, used);
  }
}
