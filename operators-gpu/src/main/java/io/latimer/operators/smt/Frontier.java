package io.latimer.operators.smt;

import java.util.Arrays;

/**
 * Enumerates the extensions of partial translations, the most promising first: a heap of pairs of a
 * partial translation and a source phrase, each of which offers the choices for the phrase in their
 * order. Equally promising ones come in the order in which their pairs were added.
 */
final class Frontier {
  private int[] partials = new int[1024];
  private int[] froms = new int[1024];
  private double[] bases = new double[1024];
  private Choice[][] choices = new Choice[1024][];
  private int[] next = new int[1024];
  private double[] promises = new double[1024];
  private int[] heap = new int[1024];
  private int size;
  private int pairs;

  void clear() {
    Arrays.fill(choices, 0, pairs, null);
    size = 0;
    pairs = 0;
  }

  /**
   * Adds the extensions of a partial translation by a phrase.
   *
   * @param base the score before the phrase, with distortion and the future score of the words that
   *     stay open
   * @param of the choices for the phrase, best first
   */
  void add(int partial, int from, double base, Choice[] of) {
    if (pairs == partials.length) {
      int more = 2 * pairs;
      partials = Arrays.copyOf(partials, more);
      froms = Arrays.copyOf(froms, more);
      bases = Arrays.copyOf(bases, more);
      choices = Arrays.copyOf(choices, more);
      next = Arrays.copyOf(next, more);
      promises = Arrays.copyOf(promises, more);
      heap = Arrays.copyOf(heap, more);
    }
    partials[pairs] = partial;
    froms[pairs] = from;
    bases[pairs] = base;
    choices[pairs] = of;
    next[pairs] = 0;
    promises[pairs] = base + of[0].expected;
    heap[pairs] = pairs;
    pairs++;
  }

  /** Builds the heap of what was added. */
  void order() {
    size = pairs;
    for (int i = size / 2 - 1; i >= 0; i--) {
      sink(i);
    }
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** The partial translation of the most promising extension. */
  int partial() {
    return partials[heap[0]];
  }

  /** The first source word of its phrase. */
  int from() {
    return froms[heap[0]];
  }

  Choice choice() {
    return choices[heap[0]][next[heap[0]]];
  }

  /** Goes on to the next extension. */
  void advance() {
    int top = heap[0];
    next[top]++;
    if (next[top] < choices[top].length) {
      promises[top] = bases[top] + choices[top][next[top]].expected;
    } else {
      heap[0] = heap[--size];
    }
    if (size > 0) {
      sink(0);
    }
  }

  private boolean isBefore(int a, int b) {
    return promises[a] > promises[b] || (promises[a] == promises[b] && a < b);
  }

  private void sink(int place) {
    int moving = heap[place];
    int at = place;
    while (true) {
      int child = 2 * at + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
        child++;
      }
      if (!isBefore(heap[child], moving)) {
        break;
      }
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = moving;
  }
}
