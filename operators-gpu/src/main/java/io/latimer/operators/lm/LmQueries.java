package io.latimer.operators.lm;

/** Single words, each with its own context. */
public final class LmQueries {
  /** Fills the positions of a context that have no word. */
  public static final int NONE = -1;

  private final int width;
  private final int[] ids;

  /**
   * Makes queries.
   *
   * @param width ids per query, 1 to the model's order
   * @param ids {@code width} per query, concatenated: the context, oldest word first, then the word
   *     itself. Shorter contexts are padded in front with {@link #NONE}. Not copied
   */
  public LmQueries(int width, int[] ids) {
    if (width < 1 || ids.length % width != 0) {
      throw new IllegalArgumentException(
          ids.length + " ids are not queries of " + width + " ids each");
    }
    this.width = width;
    this.ids = ids;
  }

  /** Ids per query. */
  public int width() {
    return width;
  }

  /** The ids of all queries; do not modify. */
  public int[] ids() {
    return ids;
  }

  /** The number of queries. */
  public int size() {
    return ids.length / width;
  }
}
