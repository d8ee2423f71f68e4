package io.latimer.operators.grammar;

import java.util.Objects;

/**
 * How sentences are checked and what a verdict contains.
 *
 * @param unknown what derives words that are not terminals
 * @param maxWords maximum words of a sentence that is checked, 1 to {@value #MOST_WORDS}
 * @param chart whether verdicts have a {@link ChartSummary}
 * @param tree whether verdicts have a {@link BestTree}; for weighted grammars only
 */
public record GrammarOptions(UnknownWords unknown, int maxWords, boolean chart, boolean tree) {
  /** The highest limit for the words of a sentence. */
  public static final int MOST_WORDS = 8192;

  /** Refuses unknown words; sentences of at most 1,024 words; neither chart nor tree. */
  public static final GrammarOptions DEFAULT =
      new GrammarOptions(UnknownWords.REFUSE, 1024, false, false);

  public GrammarOptions {
    Objects.requireNonNull(unknown, "unknown");
    if (maxWords < 1 || maxWords > MOST_WORDS) {
      throw new IllegalArgumentException(
          "the maximum of words must be 1 to " + MOST_WORDS + ", found " + maxWords);
    }
  }
}
