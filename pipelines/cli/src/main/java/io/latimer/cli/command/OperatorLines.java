package io.latimer.cli.command;

import io.latimer.cli.terminal.ByteProgress;
import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.BatchOperator;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/** Gives the lines of standard input to an operator in batches, and reports those that fail. */
public final class OperatorLines {
  private OperatorLines() {}

  /** Prints what an operator makes of lines. */
  public interface Output<T> {
    /** Adds the result of a line, or the reason why there is none. */
    void add(InputLine line, Result<T> result) throws IOException;

    /** Ends a batch and prints what can be printed. */
    void endBatch();

    /** Ends the output. */
    default void end() {}
  }

  /**
   * Processes the standard input until its end.
   *
   * @param done what becomes of lines, such as "checked", for messages
   * @return the exit code
   */
  public static <T> int run(
      BatchOperator<String, T> operator,
      int batchLines,
      Output<T> output,
      String done,
      Terminal terminal)
      throws IOException, InterruptedException {
    ByteProgress progress = Input.progress(terminal);
    ReadAhead lines = new ReadAhead(terminal.in(), batchLines);
    long failed = 0;
    for (List<InputLine> batch = next(lines); !batch.isEmpty(); batch = next(lines)) {
      List<String> reasons = process(batch, operator, output, done);
      output.endBatch();
      reasons.forEach(terminal::message);
      failed += reasons.size();
      batch.forEach(line -> progress.add(line.bytes()));
    }
    progress.end();
    output.end();
    if (failed > 0) {
      terminal.message(
          "latimer: "
              + failed
              + (failed == 1 ? " line was" : " lines were")
              + " not "
              + done
              + ".");
    }
    return failed > 0 ? ExitCodes.FAILED : CommandLine.ExitCode.OK;
  }

  private static List<InputLine> next(ReadAhead lines) throws InterruptedException {
    try {
      return lines.next();
    } catch (IOException e) {
      throw new CommandException("cannot read standard input: " + FileErrors.reason(e), e);
    }
  }

  /** Processes a batch; returns a message for each line that failed. */
  private static <T> List<String> process(
      List<InputLine> lines, BatchOperator<String, T> operator, Output<T> output, String done)
      throws IOException {
    List<Result<T>> results =
        operator.apply(
            lines.stream().filter(line -> line.problem().isEmpty()).map(InputLine::text).toList());
    List<String> reasons = new ArrayList<>();
    int next = 0;
    for (InputLine line : lines) {
      Result<T> result =
          line.problem().isEmpty()
              ? results.get(next++)
              : Result.failure(new RecordException(line.problem().get()));
      output.add(line, result);
      if (result instanceof Result.Failure<T> failure) {
        String reason = failure.error().getMessage();
        reasons.add("latimer: line " + line.number() + " cannot be " + done + ": " + reason);
      }
    }
    return reasons;
  }
}
