package io.latimer.operators.lm;

import io.latimer.operators.lm.model.LmState;
import java.util.Arrays;
import java.util.Objects;

/**
 * The scores of the words of a {@link LmSentence}, with one for {@code </s>} where that is scored.
 * A view, which keeps the scores of the whole batch.
 */
public final class WordScores {
  private final float[] log10;
  private final byte[] lengths;
  private final int first;
  private final int tokens;
  private final int unknown;
  private final float total;
  private final LmState out;

  /** Makes a view of some scores, from the first on. */
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

  /** How many words were scored, {@code </s>} among them. */
  public int tokens() {
    return tokens;
  }

  /** log10 of the probability of the i-th word in its context. */
  public float log10(int i) {
    return log10[first + Objects.checkIndex(i, tokens)];
  }

  /** Words of the longest n-gram of the model that matched at the i-th word, 1 to its order. */
  public int length(int i) {
    return lengths[first + Objects.checkIndex(i, tokens)];
  }

  /** log10 of the probability of each word; a copy. */
  public float[] log10() {
    return Arrays.copyOfRange(log10, first, first + tokens);
  }

  /** The lengths of all matches; a copy. */
  public byte[] lengths() {
    return Arrays.copyOfRange(lengths, first, first + tokens);
  }

  /** How many of the words the model does not know: those of id 0. */
  public int unknown() {
    return unknown;
  }

  /** The sum of the scores, each step of it rounded to float32, in the order of the words. */
  public float total() {
    return total;
  }

  /** The context for what follows. */
  public LmState out() {
    return out;
  }
}
