package io.latimer.operators.grammar.text;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.grammar.index.GrammarFormatException;

/** What reading bad grammars says. */
final class GrammarErrors {
  private GrammarErrors() {}

  /** The message that follows the file's name, such as {@code " line 3: expected ..."}. */
  static void assertRefused(GrammarFiles files, String name, String text, String message) {
    assertThatThrownBy(() -> files.read(name, text))
        .as(text)
        .isInstanceOf(GrammarFormatException.class)
        .hasMessage(files.folder().resolve(name) + message);
  }
}
