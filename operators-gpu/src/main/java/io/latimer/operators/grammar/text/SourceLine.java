package io.latimer.operators.grammar.text;

import io.latimer.operators.grammar.index.GrammarFormatException;
import java.nio.file.Path;

/**
 * A line of a grammar's file.
 *
 * @param file the file
 * @param number of the line, from 1
 */
record SourceLine(Path file, long number) {
  /** An error in this line. */
  GrammarFormatException error(String what) {
    return new GrammarFormatException(this + ": " + what);
  }

  @Override
  public String toString() {
    return file + " line " + number;
  }
}
