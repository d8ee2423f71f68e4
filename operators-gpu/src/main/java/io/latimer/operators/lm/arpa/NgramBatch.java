package io.latimer.operators.lm.arpa;

import java.util.Arrays;

/**
 * N-grams of one order on their way into a model, in file order. Its arrays are reused; {@link
 * LmBuilder#resolve} fills in where to attach the n-grams.
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

  /** Clears the batch, for n-grams of a given order. */
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

  /** Reserves one more n-gram and returns its offset in {@link #ids}. */
  int reserve() {
    if (size == logProbs.length) {
      int room = size + size / 2;
      ids = Arrays.copyOf(ids, Math.max(ids.length, room * order));
      logProbs = Arrays.copyOf(logProbs, room);
      backoffs = Arrays.copyOf(backoffs, room);
    }
    return size * order;
  }

  /** The ids of all n-grams, concatenated, first word first. */
  int[] ids() {
    return ids;
  }

  /** Commits the n-gram whose ids were written to the reserved place. */
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

  /** Starts to record positions in a table of the given generation (number of resizes). */
  void beginResolved(int tableGeneration) {
    generation = tableGeneration;
    if (suffixes.length < size) {
      suffixes = new int[logProbs.length];
      homes = new int[logProbs.length];
    }
  }

  /** The table's number of resizes when the n-grams were looked up in it. */
  int generation() {
    return generation;
  }

  /**
   * Records where to attach an n-gram.
   *
   * @param suffix the node of its suffix; -1 if the suffix or the context was not found
   * @param home the bucket where its search starts
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
