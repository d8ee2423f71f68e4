package io.latimer.operators.phrases;

import io.latimer.operators.phrases.index.PhraseIndex;

/** Looks up the phrases of sentences and extracts their translations, on one device. */
interface ExtractPhrases extends AutoCloseable {
  PhraseIndex index();

  /**
   * Extracts the phrases of a batch.
   *
   * @param sentences the words of each sentence, at most 65,534
   */
  ExtractedPhrases extract(String[][] sentences, PhraseOptions options);

  @Override
  void close();
}
