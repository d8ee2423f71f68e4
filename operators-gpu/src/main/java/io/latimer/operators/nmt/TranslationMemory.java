package io.latimer.operators.nmt;

import java.util.Optional;

/** A translation memory: translations of whole sentences that are used verbatim. Thread-safe. */
public interface TranslationMemory extends AutoCloseable {
  /** Remembers nothing. */
  TranslationMemory NONE =
      new TranslationMemory() {
        @Override
        public Optional<String> find(String sentence) {
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
   * @return raw text; empty if it is not known
   */
  Optional<String> find(String sentence);

  /** Identifies its content; empty for {@link #NONE}. */
  String id();

  /** The producer's version of it; may be empty. */
  String version();

  @Override
  void close();
}
