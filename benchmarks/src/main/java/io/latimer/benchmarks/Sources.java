package io.latimer.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** The source sentences of a decoder benchmark, in rotation. */
final class Sources {
  private final List<int[]> sentences = new ArrayList<>();
  private final List<Integer> words = new ArrayList<>(); // of each sentence
  private int next;

  /**
   * Adds a sentence.
   *
   * @param count its number of words
   */
  void add(int[] ids, int count) {
    sentences.add(ids);
    words.add(count);
  }

  /** The next sentences as one batch; adds their words to the count. */
  List<int[]> batch(int size, SourceWords counted) {
    List<int[]> batch = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      batch.add(sentences.get(next));
      counted.words += words.get(next);
      next = (next + 1) % sentences.size();
    }
    return batch;
  }
}
