package io.latimer.operators.lm;

import io.latimer.operators.lm.model.LmState;
import java.util.Arrays;
import java.util.Objects;

/**
 * The scores of the words of a {@link LmSentence}, including {@code </s>} if it is scored. A view
 * that keeps the scores of the whole batch in memory.
 */
public final class WordScores {
  private final float[] log10;
  private final byte[] lengths;
  private final int first;
  private final int tokens;
  private final int unknown;
  private final float total;
  private final LmState out;

  /** Makes a view of scores, starting at a given one. */
  WordScores(
      float[] log10, byte[] lengths, int first, int tokens, int unknown, float total, LmState out) {
    this.log10 = log10;
    this.lengths = lengths;
    this.first = first;
    this.tokens = tokens;
    this.unknown = unknown;
    this.total = total;
    this.out = out;
  }

  /** The number of scored words, including {@code </s>}. */
  public int tokens() {
    return tokens;
  }

  /** log10 of the probability of the i-th word in its context. */
  public float log10(int i) {
    return log10[first + Objects.checkIndex(i, tokens)];
  }

  /** log10 of the probability of each word; a copy. */
  public float[] log10() {
    return Arrays.copyOfRange(log10, first, first + tokens);
  }

  /** The lengths of all matches; a copy. */
  public byte[] lengths() {
    return Arrays.copyOfRange(lengths, first, first + tokens);
  }

  /** The number of unknown words: those with id 0. */
  public int unknown() {
    return unknown;
  }

  /** The sum of the scores in word order, each step rounded to float32. */
  public float total() {
    return total;
  }

  /** The context for the words that follow. */
  public LmState out() {
    return out;
  }
}
