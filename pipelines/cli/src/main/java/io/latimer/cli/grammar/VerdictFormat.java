package io.latimer.cli.grammar;

import io.latimer.operators.grammar.GrammarVerdict;
import io.latimer.operators.grammar.NextWords.Continuation;

/** Writes verdicts, one per line. */
interface VerdictFormat {
  /**
   * The line of a verdict.
   *
   * @param line number of the input line, from 1
   * @param next where the sentence leaves the grammar; null unless asked for
   */
  String of(long line, GrammarVerdict verdict, Continuation next);

  /** The line of a sentence that cannot be checked. */
  String failed(long line, String reason);
}
