package io.latimer.operators.lm.estimate;

/** A cursor that holds its n-gram: {@code next} of those that extend it fills these fields. */
abstract class CountedCursor implements SortedNgrams.Cursor {
  /** The n-gram's words, the last first; places from {@link #length} on mean nothing. */
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
