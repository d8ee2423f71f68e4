package io.latimer.cli.grammar;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.Input;
import io.latimer.cli.command.InputLine;
import io.latimer.cli.command.ReadAhead;
import io.latimer.cli.terminal.ByteProgress;
import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.grammar.CheckGrammar;
import io.latimer.operators.grammar.GrammarVerdict;
import io.latimer.operators.grammar.NextWords.Continuation;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Checks lines in batches, and reports those that fail. */
final class CheckInput {
  private static final int BATCH_LINES = 4096;

  private final CheckGrammar check;
  private final Continuations continuations;
  private final VerdictFormat format;
  private final Terminal terminal;
  private long failed;

  /** Finds where a sentence leaves the grammar; null unless requested. */
  @FunctionalInterface
  interface Continuations {
    Continuation of(String sentence);
  }

  private CheckInput(
      CheckGrammar check, Continuations continuations, VerdictFormat format, Terminal terminal) {
    this.check = check;
    this.continuations = continuations;
    this.format = format;
    this.terminal = terminal;
  }

  /** Checks the standard input until its end; returns the number of failed lines. */
  static long run(
      CheckGrammar check, Continuations continuations, VerdictFormat format, Terminal terminal)
      throws IOException, InterruptedException {
    CheckInput input = new CheckInput(check, continuations, format, terminal);
    ByteProgress progress = Input.progress(terminal);
    ReadAhead lines = new ReadAhead(terminal.in(), BATCH_LINES);
    for (List<InputLine> batch = next(lines); !batch.isEmpty(); batch = next(lines)) {
      input.check(batch);
      batch.forEach(line -> progress.add(line.bytes()));
    }
    progress.end();
    return input.failed;
  }

  private static List<InputLine> next(ReadAhead lines) throws InterruptedException {
    try {
      return lines.next();
    } catch (IOException e) {
      throw new CommandException("cannot read standard input: " + FileErrors.reason(e), e);
    }
  }

  private void check(List<InputLine> lines) {
    List<String> sentences =
        lines.stream().filter(line -> line.problem().isEmpty()).map(InputLine::text).toList();
    List<Result<GrammarVerdict>> verdicts = check.apply(sentences);
    List<String> reasons = new ArrayList<>();
    StringBuilder rows = new StringBuilder();
    int next = 0;
    for (InputLine line : lines) {
      Result<GrammarVerdict> verdict =
          line.problem().isEmpty()
              ? verdicts.get(next++)
              : Result.failure(new RecordException(line.problem().get()));
      if (verdict instanceof Result.Failure<GrammarVerdict> failure) {
        String reason = failure.error().getMessage();
        rows.append(format.failed(line.number(), reason));
        reasons.add("latimer: line " + line.number() + " cannot be checked: " + reason);
      } else {
        rows.append(format.of(line.number(), verdict.orElseThrow(), continuations.of(line.text())));
      }
      rows.append('\n');
    }
    terminal.results(rows.toString());
    reasons.forEach(terminal::message);
    failed += reasons.size();
  }
}
