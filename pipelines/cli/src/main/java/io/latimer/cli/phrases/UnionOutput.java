package io.latimer.cli.phrases;

import io.latimer.cli.command.InputLine;
import io.latimer.cli.command.OperatorLines;
import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.Result;
import io.latimer.operators.phrases.PhraseTable;
import io.latimer.operators.phrases.SourcePhrase;
import java.io.ByteArrayOutputStream;
import java.util.TreeMap;

/** Prints the distinct phrases of all sentences, sorted, at the end of the input. */
final class UnionOutput implements OperatorLines.Output<PhraseTable> {
  private static final int OUTPUT_PIECE = 1 << 16;

  private final PhraseRows rows;
  private final Terminal terminal;
  private final TreeMap<String, byte[]> phrases = new TreeMap<>(Utf8Order.COMPARATOR);

  UnionOutput(PhraseRows rows, Terminal terminal) {
    this.rows = rows;
    this.terminal = terminal;
  }

  @Override
  public void add(InputLine line, Result<PhraseTable> table) {
    if (table instanceof Result.Value<PhraseTable> found) {
      for (SourcePhrase phrase : found.value().phrases()) {
        phrases.computeIfAbsent(phrase.text(), text -> rows.of(text, phrase));
      }
    }
  }

  @Override
  public void endBatch() {}

  @Override
  public void end() {
    ByteArrayOutputStream out = new ByteArrayOutputStream(2 * OUTPUT_PIECE);
    for (byte[] ofPhrase : phrases.values()) {
      out.writeBytes(ofPhrase);
      if (out.size() >= OUTPUT_PIECE) {
        terminal.results(out.toByteArray());
        out.reset();
      }
    }
    if (out.size() > 0) {
      terminal.results(out.toByteArray());
    }
  }
}
