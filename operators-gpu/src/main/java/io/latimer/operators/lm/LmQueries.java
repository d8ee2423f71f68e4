package io.latimer.operators.lm;

/**
 * Single words, each in a context of its own.
 *
 * @param width ids of each query, 1 to the model's order
 * @param ids {@code width} of each query, one query after the other: the context, oldest word
 *     first, and then the word itself. Where the context is shorter, {@link #NONE} stands before it
 */
public record LmQueries(int width, int[] ids) {
  /** Stands where a context has no word. */
  public static final int NONE = -1;

  public LmQueries {
    if (width < 1 || ids.length % width != 0) {
      throw new IllegalArgumentException(
          ids.length + " ids are not queries of " + width + " ids each");
    }
  }

  /** How many queries there are. */
  public int size() {
    return ids.length / width;
  }
}
