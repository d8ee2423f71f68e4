package io.latimer.operators.ngram;

/** Sorts 64-bit keys, each with a value, byte by byte, least significant first. */
final class RadixSort {
  private static final int DIGITS = 256;

  private RadixSort() {}

  /**
   * Sorts by unsigned keys; stable. Bytes that are equal in all keys cost nothing.
   *
   * @param keys sorted in place
   * @param values one per key, moved with it
   */
  static void sort(long[] keys, long[] values) {
    int n = keys.length;
    int[][] places = new int[Long.BYTES][DIGITS];
    for (long key : keys) {
      for (int digit = 0; digit < Long.BYTES; digit++) {
        places[digit][(int) (key >>> (8 * digit)) & 0xff]++;
      }
    }
    long[] fromKeys = keys;
    long[] fromValues = values;
    long[] toKeys = null;
    long[] toValues = null;
    for (int digit = 0; digit < Long.BYTES; digit++) {
      int shift = 8 * digit;
      int[] place = places[digit];
      if (n == 0 || place[(int) (keys[0] >>> shift) & 0xff] == n) {
        continue;
      }
      int sum = 0;
      for (int i = 0; i < DIGITS; i++) {
        int count = place[i];
        place[i] = sum;
        sum += count;
      }
      if (toKeys == null) {
        toKeys = new long[n];
        toValues = new long[n];
      }
      for (int i = 0; i < n; i++) {
        int to = place[(int) (fromKeys[i] >>> shift) & 0xff]++;
        toKeys[to] = fromKeys[i];
        toValues[to] = fromValues[i];
      }
      long[] swap = fromKeys;
      fromKeys = toKeys;
      toKeys = swap;
      swap = fromValues;
      fromValues = toValues;
      toValues = swap;
    }
    if (fromKeys != keys) {
      System.arraycopy(fromKeys, 0, keys, 0, n);
      System.arraycopy(fromValues, 0, values, 0, n);
    }
  }

  /**
   * The sort order of tuples of non-negative numbers, as their original positions.
   *
   * @param tuples concatenated, {@code order} numbers each
   */
  static int[] order(int[] tuples, int order) {
    int n = tuples.length / order;
    int all = 0;
    for (int number : tuples) {
      all |= number;
    }
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(all);
    int[] from = new int[n];
    int[] to = new int[n];
    for (int i = 0; i < n; i++) {
      from[i] = i;
    }
    for (int k = order - 1; k >= 0; k--) {
      for (int shift = 0; shift < bits; shift += 8) {
        int[] place = new int[DIGITS + 1];
        for (int i = 0; i < n; i++) {
          place[((tuples[i * order + k] >>> shift) & 0xff) + 1]++;
        }
        for (int i = 0; i < DIGITS; i++) {
          place[i + 1] += place[i];
        }
        for (int i = 0; i < n; i++) {
          to[place[(tuples[from[i] * order + k] >>> shift) & 0xff]++] = from[i];
        }
        int[] swap = from;
        from = to;
        to = swap;
      }
    }
    return from;
  }
}
