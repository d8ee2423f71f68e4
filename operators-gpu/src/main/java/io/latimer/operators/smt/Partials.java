package io.latimer.operators.smt;

import java.util.Arrays;

/**
 * The partial translations of a sentence, in columns. Number 0 is the empty one. Each other one
 * extends an earlier one by a phrase.
 */
final class Partials {
  /** Ends a list of alternatives, and precedes the empty partial translation. */
  static final int NONE = -1;

  /** The sum of the features so far times their weights. */
  double[] score;

  /** The score plus the future score of the open words. */
  double[] promise;

  /** The first word that is not translated. */
  int[] gap;

  /** The translated words from there, see {@link Coverage}. */
  long[] mask;

  /** The source word after the last phrase. */
  int[] end;

  /** Number of the language model's context. */
  int[] context;

  /** The partial translation before the last phrase. */
  int[] before;

  /** The first source word of the last phrase. */
  int[] from;

  Choice[] choice;

  /** log10 of the probability of the last phrase's target words. */
  float[] log10;

  /** The next in the list of worse ones that were recombined with this one; or {@link #NONE}. */
  int[] alternative;

  private int size;

  /** Makes empty columns. */
  Partials() {
    this(1024);
  }

  /**
   * Makes empty columns.
   *
   * @param room initial capacity; it grows
   */
  Partials(int room) {
    score = new double[room];
    promise = new double[room];
    gap = new int[room];
    mask = new long[room];
    end = new int[room];
    context = new int[room];
    before = new int[room];
    from = new int[room];
    choice = new Choice[room];
    log10 = new float[room];
    alternative = new int[room];
  }

  int size() {
    return size;
  }

  /** Adds one, whose columns are not set; returns its number. */
  int add() {
    if (size == score.length) {
      int more = size + (size >> 1) + 1;
      score = Arrays.copyOf(score, more);
      promise = Arrays.copyOf(promise, more);
      gap = Arrays.copyOf(gap, more);
      mask = Arrays.copyOf(mask, more);
      end = Arrays.copyOf(end, more);
      context = Arrays.copyOf(context, more);
      before = Arrays.copyOf(before, more);
      from = Arrays.copyOf(from, more);
      choice = Arrays.copyOf(choice, more);
      log10 = Arrays.copyOf(log10, more);
      alternative = Arrays.copyOf(alternative, more);
    }
    return size++;
  }

  /** Whether two can be recombined: no later step tells them apart. */
  boolean meet(int a, int b) {
    return gap[a] == gap[b] && mask[a] == mask[b] && end[a] == end[b] && context[a] == context[b];
  }

  /** A hash that is equal for those that {@link #meet}. */
  int hash(int i) {
    long hash = mask[i] * 31 + gap[i];
    hash = (hash * 31 + end[i]) * 31 + context[i];
    hash *= 0x9E3779B97F4A7C15L; // 2^64 divided by the golden ratio
    return (int) (hash >>> 32);
  }

  /**
   * Drops the unmarked ones from a number on, and moves the others together.
   *
   * @param first those before it stay, and do not refer to it or to those after it
   * @param marked by number less {@code first}
   * @return their new numbers, by number less {@code first}
   */
  int[] keep(int first, boolean[] marked) {
    int[] moved = new int[size - first];
    int to = first;
    for (int i = first; i < size; i++) {
      if (!marked[i - first]) {
        continue;
      }
      moved[i - first] = to;
      score[to] = score[i];
      promise[to] = promise[i];
      gap[to] = gap[i];
      mask[to] = mask[i];
      end[to] = end[i];
      context[to] = context[i];
      before[to] = before[i];
      from[to] = from[i];
      choice[to] = choice[i];
      log10[to] = log10[i];
      alternative[to] = alternative[i];
      to++;
    }
    for (int i = first; i < to; i++) {
      alternative[i] = alternative[i] == NONE ? NONE : moved[alternative[i] - first];
    }
    size = to;
    return moved;
  }
}
