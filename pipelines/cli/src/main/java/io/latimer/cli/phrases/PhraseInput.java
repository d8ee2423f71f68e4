package io.latimer.cli.phrases;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.Input;
import io.latimer.cli.command.InputLine;
import io.latimer.cli.command.ReadAhead;
import io.latimer.cli.terminal.ByteProgress;
import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.phrases.PhraseTable;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Looks up the phrases of lines in batches, and reports lines that fail. */
final class PhraseInput {
  private static final int BATCH_LINES = 1000;

  private final Phrases phrases;
  private final PhraseOutput output;
  private final Terminal terminal;
  private long failed;

  private PhraseInput(Phrases phrases, PhraseOutput output, Terminal terminal) {
    this.phrases = phrases;
    this.output = output;
    this.terminal = terminal;
  }

  /** Processes standard input until its end; returns the number of failed lines. */
  static long run(Phrases phrases, PhraseOutput output, Terminal terminal)
      throws IOException, InterruptedException {
    PhraseInput input = new PhraseInput(phrases, output, terminal);
    ByteProgress progress = Input.progress(terminal);
    ReadAhead lines = new ReadAhead(terminal.in(), BATCH_LINES);
    for (List<InputLine> batch = next(lines); !batch.isEmpty(); batch = next(lines)) {
      input.lookUp(batch);
      batch.forEach(line -> progress.add(line.bytes()));
    }
    progress.end();
    output.end();
    return input.failed;
  }

  private static List<InputLine> next(ReadAhead lines) throws InterruptedException {
    try {
      return lines.next();
    } catch (IOException e) {
      throw new CommandException("cannot read standard input: " + FileErrors.reason(e), e);
    }
  }

  private void lookUp(List<InputLine> lines) throws IOException {
    List<String> sentences =
        lines.stream().filter(line -> line.problem().isEmpty()).map(InputLine::text).toList();
    List<Result<PhraseTable>> found = phrases.apply(sentences);
    List<String> reasons = new ArrayList<>();
    int next = 0;
    for (InputLine line : lines) {
      Result<PhraseTable> table =
          line.problem().isEmpty()
              ? found.get(next++)
              : Result.failure(new RecordException(line.problem().get()));
      output.add(line, table);
      if (table instanceof Result.Failure<PhraseTable> failure) {
        reasons.add(
            "latimer: line "
                + line.number()
                + " cannot be looked up: "
                + failure.error().getMessage());
      }
    }
    output.endBatch();
    reasons.forEach(terminal::message);
    failed += reasons.size();
  }
}
