package io.latimer.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** The source sentences of a decoder's benchmark, taken in turn. */
final class Sources {
  private record Sentence(int[] ids, int words) {}

  private final List<Sentence> sentences = new ArrayList<>();
  private int next;

  /**
   * Adds a sentence.
   *
   * @param words how many it counts for
   */
  void add(int[] ids, int words) {
    sentences.add(new Sentence(ids, words));
  }

  /** The next sentences as one batch, whose words are added to the count. */
  List<int[]> batch(int size, SourceWords counted) {
    List<int[]> batch = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      Sentence sentence = sentences.get(next);
      batch.add(sentence.ids());
      counted.words += sentence.words();
      next = (next + 1) % sentences.size();
    }
    return batch;
  }
}
