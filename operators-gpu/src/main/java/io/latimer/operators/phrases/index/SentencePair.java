package io.latimer.operators.phrases.index;

import java.util.Arrays;

/** A sentence pair and its word alignment, as ids. Reused from pair to pair. */
final class SentencePair {
  /** Words of the longest sentence that an index takes, on either side. */
  static final int MAX_WORDS = 65_534;

  private int[] source = new int[64];
  private int[] target = new int[64];
  private long[] links = new long[64];
  private int sourceWords;
  private int targetWords;
  private int linkCount;

  void clear() {
    sourceWords = 0;
    targetWords = 0;
    linkCount = 0;
  }

  void addSource(int id) {
    if (sourceWords == source.length) {
      source = Arrays.copyOf(source, 2 * sourceWords);
    }
    source[sourceWords++] = id;
  }

  void addTarget(int id) {
    if (targetWords == target.length) {
      target = Arrays.copyOf(target, 2 * targetWords);
    }
    target[targetWords++] = id;
  }

  /** Links a source word and a target word, by their places from 0. */
  void addLink(int sourcePlace, int targetPlace) {
    if (linkCount == links.length) {
      links = Arrays.copyOf(links, 2 * linkCount);
    }
    links[linkCount++] = (long) sourcePlace << 32 | targetPlace;
  }

  /** Sorts the links by source place, then target place, and drops repeated ones. */
  void sortLinks() {
    Arrays.sort(links, 0, linkCount);
    int kept = 0;
    for (int i = 0; i < linkCount; i++) {
      if (i == 0 || links[i] != links[i - 1]) {
        links[kept++] = links[i];
      }
    }
    linkCount = kept;
  }

  int sourceWords() {
    return sourceWords;
  }

  int source(int place) {
    return source[place];
  }

  int targetWords() {
    return targetWords;
  }

  int target(int place) {
    return target[place];
  }

  int links() {
    return linkCount;
  }

  int sourcePlace(int link) {
    return (int) (links[link] >>> 32);
  }

  int targetPlace(int link) {
    return (int) links[link];
  }
}
