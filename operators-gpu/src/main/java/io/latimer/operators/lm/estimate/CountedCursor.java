package io.latimer.operators.lm.estimate;

/** A cursor that stores its n-gram: {@code next} of subclasses fills these fields. */
abstract class CountedCursor implements SortedNgrams.Cursor {
  /** The n-gram's words, last word first; entries from {@link #length} on are undefined. */
  protected int[] words;

  protected int length;
  protected int shared;
  protected long count;

  CountedCursor(int order) {
    this.words = new int[order];
  }

  @Override
  public final int length() {
    return length;
  }

  @Override
  public final int shared() {
    return shared;
  }

  @Override
  public final int word(int back) {
    return words[back];
  }

  @Override
  public final long count() {
    return count;
  }
}
