package io.latimer.operators.device;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * For a batch that needs more memory than there is: it is cut in two and each half is tried anew,
 * down to one record, which then fails alone.
 *
 * <p>Too little memory means {@link DeviceMemoryException} or, of Java's own memory, {@link
 * OutOfMemoryError}. Anything else passes through: a lost device is not mended by a smaller batch.
 */
public final class SplitRetry {
  private SplitRetry() {}

  /**
   * Works on a batch, in as many parts as it takes.
   *
   * @param batch the records; may be empty
   * @param attempt works on a part of one record or more, given in order, and returns one result
   *     for each; must be as if it had not been called when it finds too little memory
   * @param recover called after each attempt that found too little memory, before the next: gives
   *     back what it had taken (resets its arena, waits for its stream)
   * @param alone says what is wrong with a record that does not fit by itself
   * @return one result for each record, in order
   */
  public static <I, O> List<Result<O>> apply(
      List<I> batch,
      Function<List<I>, List<Result<O>>> attempt,
      Runnable recover,
      BiFunction<I, Throwable, RecordException> alone) {
    List<Result<O>> results = new ArrayList<>(batch.size());
    add(batch, attempt, recover, alone, results);
    return results;
  }

  private static <I, O> void add(
      List<I> part,
      Function<List<I>, List<Result<O>>> attempt,
      Runnable recover,
      BiFunction<I, Throwable, RecordException> alone,
      List<Result<O>> results) {
    if (part.isEmpty()) {
      return;
    }
    try {
      List<Result<O>> made = attempt.apply(part);
      if (made.size() != part.size()) {
        throw new IllegalStateException(made.size() + " results for " + part.size() + " records");
      }
      results.addAll(made);
      return;
    } catch (DeviceMemoryException | OutOfMemoryError e) {
      // Memory is asked for before it is used: nothing else is broken, and a smaller part may fit.
      recover.run();
      if (part.size() == 1) {
        results.add(Result.failure(alone.apply(part.get(0), e)));
        return;
      }
    }
    // Outside of the catch, so that what the attempt had made is free before the next.
    int half = part.size() / 2;
    add(part.subList(0, half), attempt, recover, alone, results);
    add(part.subList(half, part.size()), attempt, recover, alone, results);
  }
}
