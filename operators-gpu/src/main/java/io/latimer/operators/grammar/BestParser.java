package io.latimer.operators.grammar;

import java.util.List;

/** Finds the most probable derivations of sentences, on one device. */
interface BestParser extends AutoCloseable {
  /**
   * Parses sentences.
   *
   * @param sentences terminals as for {@link Recognizer#recognize}
   * @param words the words of each, for the trees
   * @return the best tree of each sentence, null if there is none
   */
  List<BestTree> parse(int[][] sentences, String[][] words);

  /** Called after a batch that did not fit into memory, before a smaller one. */
  default void recover() {}

  @Override
  void close();
}
