package io.latimer.operators.text.bleu;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A reference translation, to compare many translations of a sentence with. Thread-safe. */
public final class BleuReference {
  /** Words of the longest n-gram. */
  static final int ORDER = 4;

  private static final int ROOT = 0;

  private final Map<String, Integer> words = new HashMap<>();
  private final Map<Long, Integer> nodes = new HashMap<>(); // of a trie, by parent and word
  private final int[] times; // by node, how often the reference has its n-gram
  private final int size;

  /** Takes the words of the reference, which may be none. */
  public BleuReference(List<String> reference) {
    this.size = reference.size();
    int[] counts = new int[1 + ORDER * size];
    int[] ids = new int[size];
    for (int i = 0; i < size; i++) {
      ids[i] = words.computeIfAbsent(reference.get(i), word -> words.size());
    }
    for (int from = 0; from < size; from++) {
      int node = ROOT;
      for (int n = 1; n <= ORDER && from + n <= size; n++) {
        node = nodes.computeIfAbsent(key(node, ids[from + n - 1]), key -> 1 + nodes.size());
        counts[node]++;
      }
    }
    this.times = Arrays.copyOf(counts, 1 + nodes.size());
  }

  private static long key(int node, int word) {
    return (long) node << 32 | word;
  }

  /** Compares a translation with the reference. */
  public BleuCounts count(List<String> translation) {
    int[] ids = new int[translation.size()];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = words.getOrDefault(translation.get(i), -1);
    }
    int[] found = new int[times.length];
    int[] matches = new int[ORDER];
    for (int from = 0; from < ids.length; from++) {
      Integer node = ROOT;
      for (int n = 1; n <= ORDER && from + n <= ids.length; n++) {
        int word = ids[from + n - 1];
        node = word < 0 ? null : nodes.get(key(node, word));
        if (node == null) {
          break; // nor does the reference have a longer one
        }
        matches[n - 1] += found[node]++ < times[node] ? 1 : 0;
      }
    }
    return new BleuCounts(matches, ids.length, size);
  }
}
