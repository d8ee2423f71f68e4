package io.latimer.operators.grammar;

import io.latimer.operators.grammar.index.GrammarIndex;
import io.latimer.operators.util.Team;
import java.util.List;

/** Fills the charts of sentences, on one device. */
interface Recognizer extends AutoCloseable {
  /** The grammar. */
  GrammarIndex index();

  /** Its threads on the host. */
  Team team();

  /**
   * Recognizes sentences.
   *
   * @param sentences the terminals of each, one or more: ids of {@link GrammarIndex#terminals}, of
   *     which 0 is derived by no variable; or their number, which every variable with a lexical
   *     rule derives
   * @param chart whether to summarize the charts
   * @return one result for each sentence, in order
   */
  List<Recognition> recognize(int[][] sentences, boolean chart);

  /** Called after a batch that did not fit into memory, before a smaller one. */
  default void recover() {}

  @Override
  void close();
}
