package io.latimer.operators.ngram;

import io.latimer.operators.OperatorException;

/** What all counters share: the counts that were added to them, and whether they are open. */
abstract class MergedCounts<T> implements CountNgrams<T> {
  private final NgramOptions options;
  private NgramCounts merged;
  private volatile boolean closed;

  MergedCounts(NgramOptions options) {
    this.options = options;
    this.merged = NgramCounts.empty(options.unit(), options.order());
  }

  @Override
  public final NgramOptions options() {
    return options;
  }

  @Override
  public final NgramCounts counts() {
    requireOpen();
    return countsWith(merged);
  }

  @Override
  public final void add(NgramCounts more) {
    requireOpen();
    merged = NgramCounts.merge(merged, more);
  }

  @Override
  public final void clear() {
    requireOpen();
    merged = NgramCounts.empty(options.unit(), options.order());
    clearCounted();
  }

  /** Adds what this counter has counted itself. */
  abstract NgramCounts countsWith(NgramCounts added);

  /** Forgets what this counter has counted itself. */
  abstract void clearCounted();

  /** Gives back what the counter holds; called once. */
  abstract void release();

  final void requireOpen() {
    if (closed) {
      throw new OperatorException("the n-gram counter is closed; make another");
    }
  }

  @Override
  public final void close() {
    if (!closed) {
      closed = true;
      release();
    }
  }
}
