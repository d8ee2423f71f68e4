package io.latimer.operators.grammar.text;

import io.latimer.operators.grammar.index.GrammarFormatException;
import java.nio.file.Path;

/** Reads the files of a grammar in one format. */
interface GrammarReader {
  /**
   * Reads a file; several are read as if they were one.
   *
   * @throws GrammarFormatException if it cannot be read, naming file, line and symbol
   */
  void read(Path file);

  /**
   * Makes the grammar.
   *
   * @param start the start symbol; null for that of the files
   * @param files their names, for messages
   */
  ContextFreeGrammar finish(String start, String files);

  /** The start symbol: the requested one, or else that of the files. */
  static String start(String asked, String ofFiles, String files) {
    if (asked != null) {
      return asked;
    }
    if (ofFiles == null) {
      throw new GrammarFormatException(files + ": no rules, and so no start symbol");
    }
    return ofFiles;
  }

  /** Text for a message, cut if it is long. */
  static String shown(String text) {
    int most = 40;
    return text.isEmpty()
        ? "the end"
        : text.length() <= most ? text : text.substring(0, most) + "...";
  }
}
