package io.latimer.operators.nmt.model;

import java.util.Map;

/** The shape and kind of a translation network, which determine its canonical tensors. */
public sealed interface NetworkSettings permits RnnSettings, TransformerSettings {

  /** Rows of the source embedding, Vs. */
  int sourceVocabulary();

  /** Rows of the target embedding, V. */
  int targetVocabulary();

  /** Whether the target embedding is the source embedding. */
  boolean sharesEmbeddings();

  /** Whether the output matrix is the target embedding. */
  boolean tiesOutput();

  /** Maximum number of words of a source or target sentence, end tokens included. */
  default int longest() {
    return Integer.MAX_VALUE;
  }

  /** Whether a word's alignment is the attention of the next step, whose input it is. */
  default boolean alignsNext() {
    return false;
  }

  /** How its authors search with it. */
  default SearchSettings search() {
    return SearchSettings.MARIAN;
  }

  /** The canonical tensors of such a network and their shapes, in file order. */
  Map<String, TensorShape> shapes();
}
