package io.latimer.operators.lm;

/**
 * Single words, each with its own context.
 *
 * @param width ids per query, 1 to the model's order
 * @param ids {@code width} per query, concatenated: the context, oldest word first, then the word
 *     itself. Shorter contexts are padded in front with {@link #NONE}. Not copied; do not modify
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record LmQueries(int width, int[] ids) {
  /** Fills the positions of a context that have no word. */
  public static final int NONE = -1;

  /** Checks that the ids are whole queries. */
  public LmQueries {
    if (width < 1 || ids.length % width != 0) {
      throw new IllegalArgumentException(
          ids.length + " ids are not queries of " + width + " ids each");
    }
  }

  /** The number of queries. */
  public int size() {
    return ids.length / width;
  }
}
