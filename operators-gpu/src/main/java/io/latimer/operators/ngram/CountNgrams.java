package io.latimer.operators.ngram;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.util.Team;

/**
 * Counts the n-grams of records.
 *
 * <p>N-grams never span two records. The value of a record is the number of n-grams that it added:
 * its length less order plus one, or 0. Split a text that is too long for one record into records
 * that overlap by order-1 units: the counts are those of the whole text.
 *
 * <p>If {@link #apply} throws, part of the batch may have been counted: call {@link #clear} before
 * anything else.
 *
 * @param <T> {@code byte[]} for bytes, {@code int[]} for words (ids from 0)
 */
public abstract class CountNgrams<T> implements BatchOperator<T, Long> {

  /** Maximum length of a record in units; longer records are rejected. */
  public static final int MAX_UNITS = 1 << 30;

  private final NgramOptions options;
  private NgramCounts merged;
  private volatile boolean closed;

  CountNgrams(NgramOptions options) {
    this.options = options;
    this.merged = NgramCounts.empty(options.unit(), options.order());
  }

  /**
   * Makes a counter of byte n-grams.
   *
   * @throws OperatorException if the device cannot be used
   */
  public static CountNgrams<byte[]> ofBytes(NgramOptions options, Device device) {
    return device.kind() == Device.Kind.GPU
        ? CountNgramsGpu.ofBytes(options, device)
        : CountNgramsCpu.ofBytes(options, Team.defaultThreads());
  }

  /**
   * Makes a counter of word n-grams.
   *
   * @throws OperatorException if the device cannot be used
   */
  public static CountNgrams<int[]> ofWords(NgramOptions options, Device device) {
    return device.kind() == Device.Kind.GPU
        ? CountNgramsGpu.ofWords(options, device)
        : CountNgramsCpu.ofWords(options, Team.defaultThreads());
  }

  /** The unit, the order and the strategy. */
  public final NgramOptions options() {
    return options;
  }

  /**
   * Everything counted since the start or the last {@link #clear}, merged snapshots included.
   *
   * @throws OperatorException if the operator can no longer work
   */
  public final NgramCounts counts() {
    requireOpen();
    return countsWith(merged);
  }

  /**
   * Adds a snapshot to the counts.
   *
   * @throws OperatorException if it has another unit or order
   */
  public final void add(NgramCounts more) {
    requireOpen();
    merged = NgramCounts.merge(merged, more);
  }

  /** Forgets all counts. */
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
