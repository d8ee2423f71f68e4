package io.latimer.operators.nmt.gpu;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Allocates ranges of the numbers below a size: takes the first free range that is long enough.
 * Freed ranges are merged with free neighbours.
 */
final class RangeAllocator {
  /** Returned by {@link #allocate} if no free range is long enough. */
  static final long NONE = -1;

  private final NavigableMap<Long, Long> lengths = new TreeMap<>();
  private final long size;
  private long free;

  /** Makes an allocator in which all numbers below size are free. */
  RangeAllocator(long size) {
    this.size = size;
    this.free = size;
    if (size > 0) {
      lengths.put(0L, size);
    }
  }

  /**
   * Allocates a range.
   *
   * @param length 0 or more; an empty range starts at 0 and takes nothing
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
   * Frees a range.
   *
   * @param start as returned by {@link #allocate}
   * @param length as passed to it
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
          "no range of length " + length + " at " + start + " is allocated");
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

  /** The size. */
  long size() {
    return size;
  }

  /** The total length of free ranges. */
  long free() {
    return free;
  }

  /** The number of free ranges. */
  int pieces() {
    return lengths.size();
  }
}
