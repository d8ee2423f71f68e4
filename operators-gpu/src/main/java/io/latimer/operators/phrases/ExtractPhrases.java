package io.latimer.operators.phrases;

import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.util.Team;

/** Looks up the phrases of sentences and extracts their translations, on one device. */
interface ExtractPhrases extends AutoCloseable {
  PhraseIndex index();

  /** Its threads on the host. */
  Team team();

  /**
   * Extracts the phrases of a batch.
   *
   * @param sentences the words of each sentence, at most 65,534
   * @throws io.latimer.operators.device.DeviceMemoryException if the results do not fit into the
   *     device's memory
   */
  ExtractedPhrases extract(SentenceWords[] sentences, PhraseOptions options);

  /** Releases the memory of a batch that did not fit. */
  default void recover() {}

  @Override
  void close();
}
