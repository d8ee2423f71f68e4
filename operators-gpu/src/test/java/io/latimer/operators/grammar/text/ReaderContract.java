package io.latimer.operators.grammar.text;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** What the tests of all readers of grammars have. */
abstract class ReaderContract {
  private final String ending;

  @TempDir Path folder;
  GrammarFiles files;

  /**
   * For a format.
   *
   * @param ending of its files' names
   */
  ReaderContract(String ending) {
    this.ending = ending;
  }

  @BeforeEach
  void open() {
    files = new GrammarFiles(folder);
  }

  final void assertRefused(String text, String message) {
    GrammarErrors.assertRefused(files, "bad." + ending, text, message);
  }
}
