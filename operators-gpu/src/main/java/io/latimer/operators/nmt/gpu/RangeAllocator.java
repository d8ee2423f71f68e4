package io.latimer.operators.nmt.gpu;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Cuts ranges from the numbers below a size: the first free range that is long enough is taken.
 * Ranges that are given back are merged with their neighbours.
 */
final class RangeAllocator {
  /** What {@link #allocate} gives where nothing is long enough. */
  static final long NONE = -1;

  private final NavigableMap<Long, Long> lengths = new TreeMap<>();
  private final long size;
  private long free;

  /** All numbers from 0 to size are free. */
  RangeAllocator(long size) {
    this.size = size;
    this.free = size;
    if (size > 0) {
      lengths.put(0L, size);
    }
  }

  /**
   * Takes a range.
   *
   * @param length 0 or more; an empty range lies at 0 and takes nothing
   * @return its first number, or {@link #NONE}
   */
  long allocate(long length) {
    if (length < 0) {
      throw new IllegalArgumentException("a range of length " + length);
    }
    if (length == 0) {
      return 0;
    }
    Map.Entry<Long, Long> range = firstOf(length);
    if (range == null) {
      return NONE;
    }
    long start = range.getKey();
    long left = range.getValue() - length;
    lengths.remove(start);
    if (left > 0) {
      lengths.put(start + length, left);
    }
    free -= length;
    return start;
  }

  private Map.Entry<Long, Long> firstOf(long length) {
    for (Map.Entry<Long, Long> range : lengths.entrySet()) {
      if (range.getValue() >= length) {
        return Map.entry(range.getKey(), range.getValue());
      }
    }
    return null;
  }

  /**
   * Gives a range back.
   *
   * @param start what {@link #allocate} gave
   * @param length what it was asked for
   * @throws IllegalArgumentException if some of it is free or beyond the size
   */
  void free(long start, long length) {
    if (length == 0) {
      return;
    }
    Map.Entry<Long, Long> before = lengths.floorEntry(start);
    Map.Entry<Long, Long> after = lengths.ceilingEntry(start);
    if (start < 0
        || length < 0
        || length > size - start
        || (before != null && before.getKey() + before.getValue() > start)
        || (after != null && start + length > after.getKey())) {
      throw new IllegalArgumentException(
          "no range of length " + length + " at " + start + " was taken");
    }
    free += length;
    long from = start;
    long total = length;
    if (before != null && before.getKey() + before.getValue() == start) {
      from = before.getKey();
      total += before.getValue();
    }
    if (after != null && start + length == after.getKey()) {
      lengths.remove(after.getKey());
      total += after.getValue();
    }
    lengths.put(from, total);
  }

  /** How many numbers there are. */
  long size() {
    return size;
  }

  /** How many of them are free, together. */
  long free() {
    return free;
  }

  /** The number of free ranges. */
  int pieces() {
    return lengths.size();
  }
}
