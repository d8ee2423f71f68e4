package io.latimer.operators.smt;

import io.latimer.operators.OperatorException;
import java.io.Serializable;

/**
 * How to search for translations. The work on a sentence is at most its number of words times
 * {@code candidates}.
 *
 * @param stack maximum partial translations kept per number of translated source words, 1 to
 *     {@value #MAX_STACK}
 * @param candidates maximum extensions scored for each such stack, the most promising ones; 1 to
 *     {@value #MAX_STACK}. Recombined partial translations do not count against {@code stack}, so
 *     this should be the larger number
 * @param translations maximum translations of a source phrase, the best ones; 1 to {@value
 *     #MAX_STACK}
 * @param distortion maximum source words between the end of a phrase and the start of the next one,
 *     0 (no reordering) to {@value #MAX_DISTORTION}; a phrase that is translated before an earlier
 *     word must also end within that many words of it
 * @param nBest translations of a sentence, with different words; 1 to {@value #MAX_NBEST}
 */
public record SearchOptions(int stack, int candidates, int translations, int distortion, int nBest)
    implements Serializable {

  private static final long serialVersionUID = 1L;

  /** The largest stack. */
  public static final int MAX_STACK = 1 << 20;

  /** The largest limit of distortion. */
  public static final int MAX_DISTORTION = 32;

  /**
   * Words of the longest source phrase that the search uses. A phrase that starts beyond the gap
   * ends within the limit of distortion from it, so this phrase at the gap and that window fit into
   * one mask.
   */
  public static final int MAX_PHRASE = Coverage.WINDOW - 1 - MAX_DISTORTION;

  /** The longest n-best list. */
  public static final int MAX_NBEST = 10_000;

  /** Usual settings, one translation per sentence. */
  public static final SearchOptions DEFAULT = new SearchOptions(100, 500, 20, 6, 1);

  /**
   * Checks the ranges.
   *
   * @throws OperatorException if a number is out of range
   */
  public SearchOptions {
    check("stack", stack, 1, MAX_STACK);
    check("number of candidates", candidates, 1, MAX_STACK);
    check("number of translations", translations, 1, MAX_STACK);
    check("distortion limit", distortion, 0, MAX_DISTORTION);
    check("n-best", nBest, 1, MAX_NBEST);
  }

  /** The usual number of candidates for a stack: five for each partial translation kept. */
  public static SearchOptions of(int stack, int translations, int distortion, int nBest) {
    int candidates = (int) Math.min(MAX_STACK, 5L * stack);
    return new SearchOptions(stack, candidates, translations, distortion, nBest);
  }

  private static void check(String what, int found, int least, int most) {
    if (found < least || found > most) {
      throw new OperatorException(
          "the " + what + " must be from " + least + " to " + most + ", found " + found);
    }
  }

  /** A copy with another number of translations per sentence. */
  public SearchOptions withNBest(int n) {
    return new SearchOptions(stack, candidates, translations, distortion, n);
  }
}
