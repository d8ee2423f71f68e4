package io.latimer.cli.feed;

import io.latimer.cli.terminal.Terminal;
import io.latimer.schemas.RecordJson;
import io.latimer.schemas.Sentence;
import java.util.Locale;

/** The destination of a feed's sentences. */
interface FeedSink extends AutoCloseable {
  /** How sentences are printed. */
  enum Format {
    /** One JSON object a line. */
    JSON,
    /** The text alone, on one line. */
    TEXT;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Writes a sentence, possibly asynchronously. */
  void write(Sentence sentence);

  /** Returns once everything is written. */
  void flush();

  @Override
  void close();

  /** Prints sentences at once. */
  static FeedSink printing(Terminal terminal, Format format) {
    return new FeedSink() {
      @Override
      public void write(Sentence sentence) {
        terminal.result(
            format == Format.JSON
                ? RecordJson.of(sentence)
                : sentence.getText().replaceAll("\\s*\\R\\s*", " "));
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }
}
