package io.latimer.operators.lm.arpa;

import java.util.Arrays;

/**
 * N-grams of one order on their way into a model, in the order of their file. Its arrays are used
 * again; those of {@link LmBuilder#resolve} tell where the n-grams will hang.
 */
final class NgramBatch {
  private static final int FIRST_ROOM = 1 << 10;

  private int order;
  private int size;
  private int[] ids = {};
  private float[] logProbs = new float[FIRST_ROOM];
  private float[] backoffs = new float[FIRST_ROOM];
  private int[] suffixes = {};
  private int[] homes = {};
  private int generation;

  /** Begins again, for n-grams of an order. */
  void clear(int newOrder) {
    order = newOrder;
    size = 0;
    if (ids.length < logProbs.length * order) {
      ids = new int[logProbs.length * order];
    }
  }

  int order() {
    return order;
  }

  int size() {
    return size;
  }

  /** Makes room for one n-gram more and returns where its ids go in {@link #ids}. */
  int reserve() {
    if (size == logProbs.length) {
      int room = size + size / 2;
      ids = Arrays.copyOf(ids, Math.max(ids.length, room * order));
      logProbs = Arrays.copyOf(logProbs, room);
      backoffs = Arrays.copyOf(backoffs, room);
    }
    return size * order;
  }

  /** The ids of all n-grams one behind the other, the first word of each first. */
  int[] ids() {
    return ids;
  }

  /** Takes the n-gram whose ids were put where {@link #reserve} said. */
  void add(float logProb, float backoff) {
    logProbs[size] = logProb;
    backoffs[size] = backoff;
    size++;
  }

  float logProb(int i) {
    return logProbs[i];
  }

  float backoff(int i) {
    return backoffs[i];
  }

  /** Begins to tell where the n-grams hang in a table that has been resized so many times. */
  void beginResolved(int tableGeneration) {
    generation = tableGeneration;
    if (suffixes.length < size) {
      suffixes = new int[logProbs.length];
      homes = new int[logProbs.length];
    }
  }

  /** How many times the table had been resized when the n-grams were looked up in it. */
  int generation() {
    return generation;
  }

  /**
   * Tells where an n-gram hangs.
   *
   * @param suffix the node of its suffix; -1 if that or the context was not found
   * @param home the bucket where it is searched for
   */
  void resolved(int i, int suffix, int home) {
    suffixes[i] = suffix;
    homes[i] = home;
  }

  int suffix(int i) {
    return suffixes[i];
  }

  int home(int i) {
    return homes[i];
  }
}
