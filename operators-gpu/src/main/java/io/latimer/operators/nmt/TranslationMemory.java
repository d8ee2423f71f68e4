package io.latimer.operators.nmt;

import java.util.List;
import java.util.Optional;

/** A translation memory: translations of whole sentences, used verbatim. Thread-safe. */
public interface TranslationMemory extends AutoCloseable {
  /** Remembers nothing. */
  TranslationMemory NONE =
      new TranslationMemory() {
        @Override
        public Optional<Remembered> find(String sentence) {
          return Optional.empty();
        }

        @Override
        public String id() {
          return "";
        }

        @Override
        public String version() {
          return "";
        }

        @Override
        public void close() {}
      };

  /**
   * The translation of a sentence.
   *
   * @param sentence raw text
   * @return empty if it is not known
   */
  Optional<Remembered> find(String sentence);

  /**
   * The translation of the whole text of a record, which may have several sentences.
   *
   * @param record raw text
   * @return empty if it is not known, or the memory has sentences only
   */
  default Optional<Remembered> findRecord(String record) {
    return Optional.empty();
  }

  /**
   * Known sentences that are similar to one that is not known, most similar first.
   *
   * @param sentence raw text
   */
  default List<SimilarSentence> similar(String sentence) {
    return List.of();
  }

  /** Identifies its content; empty for {@link #NONE}. */
  String id();

  /** The producer's version of it; may be empty. */
  String version();

  @Override
  void close();
}
