package io.latimer.operators.lm;

/** Single words, each in a context of its own. */
public final class LmQueries {
  /** Stands where a context has no word. */
  public static final int NONE = -1;

  private final int width;
  private final int[] ids;

  /**
   * Makes queries.
   *
   * @param width ids of each query, 1 to the model's order
   * @param ids {@code width} of each query, one query after the other: the context, oldest word
   *     first, and then the word itself. Where the context is shorter, {@link #NONE} stands before
   *     it. Not copied
   */
  public LmQueries(int width, int[] ids) {
    if (width < 1 || ids.length % width != 0) {
      throw new IllegalArgumentException(
          ids.length + " ids are not queries of " + width + " ids each");
    }
    this.width = width;
    this.ids = ids;
  }

  /** Ids of each query. */
  public int width() {
    return width;
  }

  /** The ids of all queries; not to be changed. */
  public int[] ids() {
    return ids;
  }

  /** How many queries there are. */
  public int size() {
    return ids.length / width;
  }
}
