package io.latimer.operators.nmt.convert;

import io.latimer.operators.text.Vocabulary;

/**
 * The ids of a model in Latimer's order: {@link Vocabulary#END} and {@link Vocabulary#UNKNOWN}
 * first, all others after them in their own order.
 */
public final class IdOrder {
  private final int[] original;
  private final int[] ours;

  private IdOrder(int[] original, int[] ours) {
    this.original = original;
    this.ours = ours;
  }

  /**
   * The order for a model.
   *
   * @param size number of its ids, 2 or more
   * @param end its id of the end of a sentence
   * @param unknown its id of unknown tokens, another one
   */
  public static IdOrder of(int size, int end, int unknown) {
    int[] original = new int[size];
    int[] ours = new int[size];
    original[Vocabulary.END] = end;
    original[Vocabulary.UNKNOWN] = unknown;
    int next = Vocabulary.UNKNOWN + 1;
    for (int id = 0; id < size; id++) {
      if (id != end && id != unknown) {
        original[next++] = id;
      }
    }
    for (int id = 0; id < size; id++) {
      ours[original[id]] = id;
    }
    return new IdOrder(original, ours);
  }

  /** The model's id of each of ours; not to be changed. */
  public int[] original() {
    return original;
  }

  /** Our id of one of the model's. */
  public int of(int id) {
    return ours[id];
  }

  /** Values by the model's ids, in our order. */
  public float[] ordered(float[] values) {
    float[] ordered = new float[original.length];
    for (int id = 0; id < ordered.length; id++) {
      ordered[id] = values[original[id]];
    }
    return ordered;
  }
}
