package io.latimer.operators.glossary.text;

import io.latimer.operators.text.terms.Term;

/** Takes the terms of a file. */
@FunctionalInterface
public interface TermSink {
  /**
   * Takes a term.
   *
   * @param line where it begins, from 1
   */
  void add(Term term, int line);
}
