package io.latimer.cli;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.FileErrors;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.Translated;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Translates a stream of lines in their order, in constant memory: a chunk of lines is sorted by
 * length, so that a batch holds lines of one size, and printed in the order in which it came.
 */
final class LineTranslator {
  private static final int CHUNK_BATCHES = 4;
  private static final int CHARACTERS_PER_TOKEN = 4; // of English in a vocabulary of some thousands

  private final BatchOperator<String, Translated> operator;
  private final int batchLines;
  private final int batchTokens;
  private final OutputFormat format;
  private final Terminal terminal;
  private final Progress progress;
  private long failed;

  /**
   * @param batchLines most lines in a batch
   * @param batchTokens most tokens in a batch, roughly, padding included; a longer line is alone
   */
  LineTranslator(
      BatchOperator<String, Translated> operator,
      int batchLines,
      int batchTokens,
      OutputFormat format,
      Terminal terminal,
      Progress progress) {
    this.operator = operator;
    this.batchLines = batchLines;
    this.batchTokens = batchTokens;
    this.format = format;
    this.terminal = terminal;
    this.progress = progress;
  }

  /** Translates to the end of the input and returns the number of lines that failed. */
  long run(InputStream in) throws InterruptedException {
    ReadAhead input = new ReadAhead(in, batchLines * CHUNK_BATCHES);
    List<InputLine> chunk = read(input);
    while (!chunk.isEmpty()) {
      translate(chunk);
      chunk = read(input);
    }
    progress.end();
    return failed;
  }

  private static List<InputLine> read(ReadAhead input) throws InterruptedException {
    try {
      return input.next();
    } catch (IOException e) {
      throw new CommandException("the standard input cannot be read: " + FileErrors.reason(e), e);
    }
  }

  private void translate(List<InputLine> chunk) {
    List<Result<Translated>> results = new ArrayList<>();
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < chunk.size(); i++) {
      results.add(chunk.get(i).problem().map(LineTranslator::unreadable).orElse(null));
      if (results.get(i) == null) {
        order.add(i);
      }
    }
    // The longest first: whatever memory a chunk needs is taken at its start.
    order.sort(Comparator.comparingInt((Integer i) -> -chunk.get(i).text().length()));
    int from = 0;
    while (from < order.size()) {
      int longest = chunk.get(order.get(from)).text().length() / CHARACTERS_PER_TOKEN + 1;
      int lines = Math.min(batchLines, Math.max(1, batchTokens / longest));
      List<Integer> batch = order.subList(from, Math.min(order.size(), from + lines));
      List<Result<Translated>> translated =
          operator.apply(batch.stream().map(i -> chunk.get(i).text()).toList());
      for (int i = 0; i < batch.size(); i++) {
        InputLine line = chunk.get(batch.get(i));
        results.set(batch.get(i), translated.get(i));
        progress.add(line);
      }
      from += batch.size();
    }
    print(chunk, results);
  }

  private void print(List<InputLine> chunk, List<Result<Translated>> results) {
    StringBuilder text = new StringBuilder();
    List<String> reasons = new ArrayList<>();
    for (int i = 0; i < chunk.size(); i++) {
      InputLine line = chunk.get(i);
      Result<Translated> result = results.get(i);
      if (result instanceof Result.Value<Translated> translated) {
        text.append(format.lines(line.number(), translated.value()));
      } else {
        text.append(format.failedLine());
        String reason = ((Result.Failure<Translated>) result).error().getMessage();
        reasons.add("latimer: line " + line.number() + " is not translated: " + reason);
      }
    }
    terminal.results(text.toString());
    reasons.forEach(terminal::message);
    failed += reasons.size();
  }

  private static Result<Translated> unreadable(String problem) {
    return Result.failure(new RecordException(problem));
  }
}
