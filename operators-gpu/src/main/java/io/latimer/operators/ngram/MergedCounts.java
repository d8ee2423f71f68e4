package io.latimer.operators.ngram;

import io.latimer.operators.OperatorException;

/** The state that all counters share: merged snapshots, and whether the counter is open. */
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

  /** Adds this counter's own counts. */
  abstract NgramCounts countsWith(NgramCounts added);

  /** Forgets this counter's own counts. */
  abstract void clearCounted();

  /** Releases the counter's resources; called once. */
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
