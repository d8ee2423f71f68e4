package io.latimer.operators.ngram;

import io.latimer.operators.BatchOperator;
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
public interface CountNgrams<T> extends BatchOperator<T, Long> {

  /** Maximum length of a record in units; longer records are rejected. */
  int MAX_UNITS = 1 << 30;

  /**
   * Makes a counter of byte n-grams.
   *
   * @throws io.latimer.operators.OperatorException if the device cannot be used
   */
  static CountNgrams<byte[]> ofBytes(NgramOptions options, Device device) {
    return device.kind() == Device.Kind.GPU
        ? CountNgramsGpu.ofBytes(options, device)
        : CountNgramsCpu.ofBytes(options, Team.defaultThreads());
  }

  /**
   * Makes a counter of word n-grams.
   *
   * @throws io.latimer.operators.OperatorException if the device cannot be used
   */
  static CountNgrams<int[]> ofWords(NgramOptions options, Device device) {
    return device.kind() == Device.Kind.GPU
        ? CountNgramsGpu.ofWords(options, device)
        : CountNgramsCpu.ofWords(options, Team.defaultThreads());
  }

  /** The unit, the order and the strategy. */
  NgramOptions options();

  /**
   * Everything counted since the start or the last {@link #clear}, merged snapshots included.
   *
   * @throws io.latimer.operators.OperatorException if the operator can no longer work
   */
  NgramCounts counts();

  /**
   * Adds a snapshot to the counts.
   *
   * @throws io.latimer.operators.OperatorException if it has another unit or order
   */
  void add(NgramCounts more);

  /** Forgets all counts. */
  void clear();
}
