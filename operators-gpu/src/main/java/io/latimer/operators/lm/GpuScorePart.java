package io.latimer.operators.lm;

/**
 * Tokens of a sentence that are scored together.
 *
 * @param target where the scores go
 * @param from the first of them in the sentence
 * @param count how many there are, 1 or more
 * @param context tokens that come before them, without scores
 * @param at where the context begins in the slot
 */
record GpuScorePart(GpuScoreTarget target, int from, int count, int context, int at) {

  /** Where the first score lies in the slot. */
  int scores() {
    return at + context;
  }

  /** The last token in the slot. */
  int last() {
    return scores() + count - 1;
  }

  boolean ends() {
    return target.endsWith(from + count);
  }
}
