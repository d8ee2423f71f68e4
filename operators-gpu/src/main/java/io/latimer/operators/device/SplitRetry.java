package io.latimer.operators.device;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Splits batches that need more memory than there is: each half is tried again, down to one record,
 * which then fails alone.
 *
 * <p>Too little memory means {@link DeviceMemoryException} or, for Java's own memory, {@link
 * OutOfMemoryError}. Other exceptions are rethrown: a smaller batch does not help a lost device.
 */
public final class SplitRetry {
  private SplitRetry() {}

  /**
   * Processes a batch in as many parts as needed.
   *
   * @param batch the records; may be empty
   * @param attempt processes a part of one or more records, in order, and returns one result for
   *     each; must have no effect if memory is too small
   * @param recover called after each attempt with too little memory, before the next: releases what
   *     the attempt had taken (resets its arena, waits for its stream)
   * @param alone makes the error for a record that does not fit by itself
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

  /**
   * The same for those records of a batch that have no result yet.
   *
   * @param results one for each record of the batch, null where missing; filled in
   * @param records those that have none, in order
   */
  public static <I, O> void fill(
      List<Result<O>> results,
      List<I> records,
      Function<List<I>, List<Result<O>>> attempt,
      Runnable recover,
      BiFunction<I, Throwable, RecordException> alone) {
    Iterator<Result<O>> made = apply(records, attempt, recover, alone).iterator();
    results.replaceAll(result -> result == null ? made.next() : result);
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
      // Memory is allocated before it is used: nothing else is broken, and a smaller part may fit.
      recover.run();
      if (part.size() == 1) {
        results.add(Result.failure(alone.apply(part.get(0), e)));
        return;
      }
    }
    // Outside the catch, so that the attempt's objects are unreachable before the next.
    int half = part.size() / 2;
    add(part.subList(0, half), attempt, recover, alone, results);
    add(part.subList(half, part.size()), attempt, recover, alone, results);
  }
}
