package io.latimer.cli.translate;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.InputLine;
import io.latimer.cli.command.ReadAhead;
import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.BatchOperator;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.Translated;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Translates a stream of lines in order and in constant memory: a chunk of lines is sorted by
 * length, so that batches contain lines of similar length, and printed in its original order. It
 * keeps enough batches in flight to keep the operator busy, including those of the next chunk if
 * the input is fast.
 */
final class LineTranslator {
  private static final int CHUNK_BATCHES = 4;
  private static final int CHUNKS_AT_ONCE = 2;
  private static final int CHARACTERS_PER_TOKEN =
      4; // for English with a vocabulary of several thousand

  private final BatchOperator<String, Translated> operator;
  private final int batchLines;
  private final int batchTokens;
  private final OutputFormat format;
  private final Consumer<String> out;
  private final Terminal terminal;
  private final Progress progress;
  private long failed;

  /**
   * @param batchLines maximum lines in a batch
   * @param out receives the lines of output, in order
   * @param batchTokens approximate maximum tokens in a batch, including padding; a longer line
   *     forms its own batch
   */
  LineTranslator(
      BatchOperator<String, Translated> operator,
      int batchLines,
      int batchTokens,
      OutputFormat format,
      Consumer<String> out,
      Terminal terminal,
      Progress progress) {
    this.operator = operator;
    this.batchLines = batchLines;
    this.batchTokens = batchTokens;
    this.format = format;
    this.out = out;
    this.terminal = terminal;
    this.progress = progress;
  }

  /** Lines that are being translated, and their batches. */
  private record Chunk(
      List<InputLine> lines, List<Result<Translated>> results, List<Batch> batches) {
    boolean isDone() {
      return batches.stream().allMatch(batch -> batch.results().isDone());
    }
  }

  /** Lines of a chunk, by their positions in it. */
  private record Batch(List<Integer> places, Future<List<Result<Translated>>> results) {}

  /**
   * Translates until the end of the input and returns the number of failed lines.
   *
   * @param name of the input, for messages
   */
  long run(InputStream in, String name) throws InterruptedException {
    ExecutorService callers =
        Executors.newFixedThreadPool(
            operator.inFlight(),
            work -> {
              Thread thread = new Thread(work, "translate-lines");
              thread.setDaemon(true);
              return thread;
            });
    try {
      translate(new ReadAhead(in, batchLines * CHUNK_BATCHES), name, callers);
    } finally {
      callers.shutdownNow();
      callers.awaitTermination(
          Long.MAX_VALUE, TimeUnit.NANOSECONDS); // must end before the operator is closed
    }
    progress.end();
    return failed;
  }

  private void translate(ReadAhead input, String name, ExecutorService callers)
      throws InterruptedException {
    Deque<Chunk> underWay = new ArrayDeque<>();
    CommandException unreadable = null;
    boolean ended = false;
    while (!ended || !underWay.isEmpty()) {
      // A typed line is translated without waiting for the next one.
      boolean reads =
          !ended
              && (underWay.isEmpty()
                  || (underWay.size() < CHUNKS_AT_ONCE
                      && input.isReady()
                      && !underWay.peek().isDone()));
      if (!reads) {
        print(underWay.remove());
        continue;
      }
      try {
        List<InputLine> lines = read(input, name);
        ended = lines.isEmpty();
        if (!ended) {
          underWay.add(begin(lines, callers));
        }
      } catch (CommandException e) { // earlier lines are printed first
        unreadable = e;
        ended = true;
      }
    }
    if (unreadable != null) {
      throw unreadable;
    }
  }

  private static List<InputLine> read(ReadAhead input, String name) throws InterruptedException {
    try {
      return input.next();
    } catch (IOException e) {
      throw new CommandException("cannot read " + name + ": " + FileErrors.reason(e), e);
    }
  }

  /** Submits the batches of a chunk. */
  private Chunk begin(List<InputLine> lines, ExecutorService callers) {
    List<Result<Translated>> results = new ArrayList<>();
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      results.add(lines.get(i).problem().map(LineTranslator::unreadable).orElse(null));
      if (results.get(i) == null) {
        order.add(i);
      }
    }
    // Longest first, so that a chunk allocates its maximum memory at the start.
    order.sort(Comparator.comparingInt((Integer i) -> -lines.get(i).text().length()));
    List<Batch> batches = new ArrayList<>();
    int from = 0;
    while (from < order.size()) {
      int longest = lines.get(order.get(from)).text().length() / CHARACTERS_PER_TOKEN + 1;
      int most = Math.min(batchLines, Math.max(1, batchTokens / longest));
      List<Integer> places = order.subList(from, Math.min(order.size(), from + most));
      List<String> texts = places.stream().map(i -> lines.get(i).text()).toList();
      batches.add(new Batch(places, callers.submit(() -> operator.apply(texts))));
      from += places.size();
    }
    return new Chunk(lines, results, batches);
  }

  /** Waits for a chunk and prints it. */
  private void print(Chunk chunk) throws InterruptedException {
    for (Batch batch : chunk.batches()) {
      List<Result<Translated>> translated = await(batch.results());
      for (int i = 0; i < translated.size(); i++) {
        int place = batch.places().get(i);
        chunk.results().set(place, translated.get(i));
        progress.add(chunk.lines().get(place));
      }
    }
    print(chunk.lines(), chunk.results());
  }

  /** Rethrows the operator's exception. */
  private static <T> T await(Future<T> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw (Error) e.getCause(); // operators throw no checked exceptions
    }
  }

  private void print(List<InputLine> lines, List<Result<Translated>> results) {
    StringBuilder text = new StringBuilder();
    List<String> reasons = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      InputLine line = lines.get(i);
      Result<Translated> result = results.get(i);
      if (result instanceof Result.Value<Translated> translated) {
        text.append(format.lines(line.number(), translated.value()));
      } else {
        text.append(format.failedLine());
        String reason = ((Result.Failure<Translated>) result).error().getMessage();
        reasons.add("latimer: line " + line.number() + " cannot be translated: " + reason);
      }
    }
    out.accept(text.toString());
    reasons.forEach(terminal::message);
    failed += reasons.size();
  }

  private static Result<Translated> unreadable(String problem) {
    return Result.failure(new RecordException(problem));
  }
}
