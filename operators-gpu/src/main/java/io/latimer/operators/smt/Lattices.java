package io.latimer.operators.smt;

import java.util.List;

/** The choices of a batch of sentences. */
final class Lattices {
  /**
   * Of each sentence, per word and number of words less one, the choices for the phrase, best
   * first, with consecutive numbers; null for none. Each word has choices of its own.
   */
  final List<Choice[][][]> sentences;

  /** All choices, by number. */
  final Choice[] choices;

  Lattices(List<Choice[][][]> sentences, Choice[] choices) {
    this.sentences = sentences;
    this.choices = choices;
  }
}
