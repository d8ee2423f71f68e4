package io.latimer.operators.ngram;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.device.Device;
import io.latimer.operators.util.Team;

/**
 * Counts the n-grams of records.
 *
 * <p>A record is a text of its own: no n-gram reaches from one into the next. The value of a record
 * is how many n-grams it has added: its length less order plus one, or 0. A text that is too long
 * for one record is given as records that overlap by order-1 units, and counts as if it were one.
 *
 * <p>Where {@link #apply} throws, a part of the batch may have been counted: {@link #clear} comes
 * before anything else then.
 *
 * @param <T> {@code byte[]} for bytes, {@code int[]} for words (ids from 0)
 */
public interface CountNgrams<T> extends BatchOperator<T, Long> {

  /** The longest record: longer ones are refused. */
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

  /** What is counted, and how. */
  NgramOptions options();

  /**
   * Everything that was counted since the beginning or {@link #clear}, merged snapshots included.
   *
   * @throws io.latimer.operators.OperatorException if the operator can no longer work
   */
  NgramCounts counts();

  /**
   * Adds a snapshot to what is counted.
   *
   * @throws io.latimer.operators.OperatorException if it is of another unit or order
   */
  void add(NgramCounts more);

  /** Forgets all counts. */
  void clear();
}
