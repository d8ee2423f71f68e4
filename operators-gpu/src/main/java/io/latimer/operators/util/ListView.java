package io.latimer.operators.util;

import java.util.AbstractList;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.function.IntFunction;

/**
 * An unmodifiable list whose elements are made each time that they are asked for.
 *
 * @param <T> the elements
 */
public final class ListView<T> extends AbstractList<T> implements RandomAccess {
  private final int size;
  private final IntFunction<T> get;

  /**
   * Makes a view.
   *
   * @param get makes the element at an index
   */
  public ListView(int size, IntFunction<T> get) {
    this.size = size;
    this.get = get;
  }

  @Override
  public T get(int i) {
    return get.apply(Objects.checkIndex(i, size));
  }

  @Override
  public int size() {
    return size;
  }
}
