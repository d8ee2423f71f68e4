package io.latimer.cli.phrases;

import io.latimer.cli.command.InputLine;
import io.latimer.operators.Result;
import io.latimer.operators.phrases.PhraseTable;
import java.io.IOException;

/** Prints the phrases of sentences, in the order of the input. */
interface PhraseOutput {
  /** Adds the phrases of a line, or the reason why there are none. */
  void add(InputLine line, Result<PhraseTable> table) throws IOException;

  /** Ends a batch and prints what can be printed. */
  void endBatch();

  /** Ends the output. */
  void end();
}
