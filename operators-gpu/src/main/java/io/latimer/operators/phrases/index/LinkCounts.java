package io.latimer.operators.phrases.index;

import io.latimer.operators.util.Hashing;
import java.util.Arrays;

/**
 * How often each pair of words is linked. A word that is not aligned counts as linked once to
 * nothing, which has the id {@link PhraseSections#END}.
 */
final class LinkCounts {
  private static final int MAX_PAIRS = 1 << 29;

  private long[] keys = new long[1 << 10];
  private int[] counts = new int[1 << 10]; // 0 for free slots
  private int size;

  void add(SentencePair pair) {
    boolean[] linked = new boolean[pair.targetWords()];
    int before = -1;
    for (int link = 0; link < pair.links(); link++) {
      int from = pair.sourcePlace(link);
      int to = pair.targetPlace(link);
      addUnaligned(pair, before + 1, from);
      add(pair.source(from), pair.target(to), 1);
      linked[to] = true;
      before = from;
    }
    addUnaligned(pair, before + 1, pair.sourceWords());
    for (int place = 0; place < linked.length; place++) {
      if (!linked[place]) {
        add(PhraseSections.END, pair.target(place), 1);
      }
    }
  }

  private void addUnaligned(SentencePair pair, int from, int to) {
    for (int place = from; place < to; place++) {
      add(pair.source(place), PhraseSections.END, 1);
    }
  }

  /** Adds links between a source word and a target word. */
  void add(int source, int target, int links) {
    long key = (long) source << 32 | target;
    int slot = slot(key);
    if (counts[slot] == 0) {
      keys[slot] = key;
      size++;
    }
    if (counts[slot] > Integer.MAX_VALUE - links) {
      throw new PhraseTextException("two words are linked 2^31 times or more; split the text");
    }
    counts[slot] += links;
    if (size > counts.length / 2) {
      grow();
    }
  }

  private int slot(long key) {
    int mask = keys.length - 1;
    int slot = (int) (Hashing.mix(key) >>> 32) & mask;
    while (counts[slot] != 0 && keys[slot] != key) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    if (keys.length == MAX_PAIRS) {
      throw new PhraseTextException(
          "the text links more than " + MAX_PAIRS / 2 + " pairs of words; split it");
    }
    long[] oldKeys = keys;
    int[] oldCounts = counts;
    keys = new long[2 * oldKeys.length];
    counts = new int[2 * oldKeys.length];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldCounts[i] != 0) {
        int slot = slot(oldKeys[i]);
        keys[slot] = oldKeys[i];
        counts[slot] = oldCounts[i];
      }
    }
  }

  /** The number of pairs. */
  int size() {
    return size;
  }

  /** The pairs in ascending order: source word in the upper half, target word in the lower. */
  long[] sorted() {
    long[] sorted = new long[size];
    int to = 0;
    for (int slot = 0; slot < keys.length; slot++) {
      if (counts[slot] != 0) {
        sorted[to++] = keys[slot];
      }
    }
    Arrays.parallelSort(sorted);
    return sorted;
  }

  int count(long pair) {
    return counts[slot(pair)];
  }
}
