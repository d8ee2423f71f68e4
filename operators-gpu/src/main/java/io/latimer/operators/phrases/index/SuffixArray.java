package io.latimer.operators.phrases.index;

import java.util.Arrays;

/**
 * Sorts the suffixes of a text of word ids by induced sorting (SA-IS: Nong, Zhang and Chan, "Linear
 * Suffix Array Construction by Almost Pure Induced-Sorting", 2009), in time and memory linear in
 * the text. A suffix that is the beginning of another sorts before it.
 */
public final class SuffixArray {
  private static final int EMPTY = -1;

  private SuffixArray() {}

  /**
   * The starts of the suffixes, in order.
   *
   * @param text ids from 0 to {@code words} - 1
   * @param words number of ids, 1 or more
   * @return one start per id of the text
   * @throws IndexOutOfBoundsException if an id is out of range
   */
  public static int[] of(int[] text, int words) {
    int[] suffixes = new int[text.length];
    sort(text, text.length, words, suffixes);
    return suffixes;
  }

  /** Sorts the suffixes of {@code text[0..n)} into {@code suffixes[0..n)}. */
  private static void sort(int[] text, int n, int words, int[] suffixes) {
    if (n < 2) {
      Arrays.fill(suffixes, 0, n, 0);
      return;
    }
    long[] smaller = types(text, n);
    int[] ends = bucketEnds(text, n, words);
    int[] at = new int[words];

    // The LMS positions, leftmost in runs of smaller (S-type) suffixes, in any order within
    // buckets.
    Arrays.fill(suffixes, 0, n, EMPTY);
    System.arraycopy(ends, 0, at, 0, words);
    for (int i = n - 1; i > 0; i--) {
      if (isLeftmost(smaller, i)) {
        suffixes[--at[text[i]]] = i;
      }
    }
    induce(text, n, words, suffixes, smaller, ends, at);

    // The sorted LMS substrings move to the front, and are named in order.
    int leftmost = 0;
    for (int i = 0; i < n; i++) {
      if (isLeftmost(smaller, suffixes[i])) {
        suffixes[leftmost++] = suffixes[i];
      }
    }
    Arrays.fill(suffixes, leftmost, n, EMPTY);
    int names = name(text, n, suffixes, smaller, leftmost);
    int[] reduced = new int[leftmost];
    for (int i = leftmost, to = 0; i < n; i++) {
      if (suffixes[i] != EMPTY) {
        reduced[to++] = suffixes[i];
      }
    }
    if (names < leftmost) {
      sort(reduced, leftmost, names, suffixes);
    } else {
      for (int i = 0; i < leftmost; i++) {
        suffixes[reduced[i]] = i;
      }
    }

    // The LMS positions in the order of their suffixes, at the ends of their buckets.
    for (int i = 1, to = 0; i < n; i++) {
      if (isLeftmost(smaller, i)) {
        reduced[to++] = i;
      }
    }
    for (int i = 0; i < leftmost; i++) {
      suffixes[i] = reduced[suffixes[i]];
    }
    Arrays.fill(suffixes, leftmost, n, EMPTY);
    System.arraycopy(ends, 0, at, 0, words);
    for (int i = leftmost - 1; i >= 0; i--) {
      int position = suffixes[i];
      suffixes[i] = EMPTY;
      suffixes[--at[text[position]]] = position;
    }
    induce(text, n, words, suffixes, smaller, ends, at);
  }

  /**
   * One bit per position: whether its suffix is smaller than the next (S-type). The last is L-type.
   */
  private static long[] types(int[] text, int n) {
    long[] smaller = new long[(n + 63) >>> 6];
    boolean next = false;
    for (int i = n - 2; i >= 0; i--) {
      next = text[i] < text[i + 1] || (text[i] == text[i + 1] && next);
      if (next) {
        smaller[i >>> 6] |= 1L << i;
      }
    }
    return smaller;
  }

  private static boolean isSmaller(long[] smaller, int i) {
    return (smaller[i >>> 6] >>> i & 1) != 0;
  }

  private static boolean isLeftmost(long[] smaller, int i) {
    return i > 0 && isSmaller(smaller, i) && !isSmaller(smaller, i - 1);
  }

  /** Per id, the place after its last suffix. */
  private static int[] bucketEnds(int[] text, int n, int words) {
    int[] ends = new int[words];
    for (int i = 0; i < n; i++) {
      ends[text[i]]++;
    }
    for (int word = 1; word < words; word++) {
      ends[word] += ends[word - 1];
    }
    return ends;
  }

  /**
   * Induces the order of all L-type suffixes from the LMS ones, then of all S-type ones from those.
   */
  private static void induce(
      int[] text, int n, int words, int[] suffixes, long[] smaller, int[] ends, int[] at) {
    at[0] = 0;
    System.arraycopy(ends, 0, at, 1, words - 1);
    // The end of the text sorts before every id, so the last suffix comes first in its bucket.
    suffixes[at[text[n - 1]]++] = n - 1;
    for (int i = 0; i < n; i++) {
      int before = suffixes[i] - 1;
      if (before >= 0 && !isSmaller(smaller, before)) {
        suffixes[at[text[before]]++] = before;
      }
    }
    System.arraycopy(ends, 0, at, 0, words);
    for (int i = n - 1; i >= 0; i--) {
      int before = suffixes[i] - 1;
      if (before >= 0 && isSmaller(smaller, before)) {
        suffixes[--at[text[before]]] = before;
      }
    }
  }

  /**
   * Names the LMS substrings in {@code suffixes[0..leftmost)}, equal ones alike. The name of the
   * one at position p goes to {@code suffixes[leftmost + p / 2]}: LMS positions are never adjacent.
   *
   * @return number of names
   */
  private static int name(int[] text, int n, int[] suffixes, long[] smaller, int leftmost) {
    int name = -1;
    int before = -1;
    for (int i = 0; i < leftmost; i++) {
      int position = suffixes[i];
      if (before < 0 || !sameSubstring(text, n, smaller, before, position)) {
        name++;
      }
      before = position;
      suffixes[leftmost + (position >>> 1)] = name;
    }
    return name + 1;
  }

  private static boolean sameSubstring(int[] text, int n, long[] smaller, int a, int b) {
    for (int k = 0; ; k++) {
      if (a + k == n || b + k == n) {
        return false; // one includes the end of the text, which is unique
      }
      if (text[a + k] != text[b + k] || isSmaller(smaller, a + k) != isSmaller(smaller, b + k)) {
        return false;
      }
      if (k > 0 && (isLeftmost(smaller, a + k) || isLeftmost(smaller, b + k))) {
        return isLeftmost(smaller, a + k) && isLeftmost(smaller, b + k);
      }
    }
  }
}
