package io.latimer.cli.phrases;

import io.latimer.cli.command.InputLine;
import io.latimer.cli.command.OperatorLines;
import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.Result;
import io.latimer.operators.phrases.PhraseTable;

/** Prints a block of rows per line, terminated by an empty line; failed lines have empty blocks. */
record BlockOutput(PhraseRows rows, Terminal terminal)
    implements OperatorLines.Output<PhraseTable> {
  @Override
  public void add(InputLine line, Result<PhraseTable> table) {
    if (table instanceof Result.Value<PhraseTable> found) {
      terminal.results(rows.of(found.value()));
    }
    terminal.results("\n");
  }

  @Override
  public void endBatch() {
    rows.endBatch();
  }
}
