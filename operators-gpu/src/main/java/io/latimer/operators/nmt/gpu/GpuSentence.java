package io.latimer.operators.nmt.gpu;

import io.latimer.operators.RecordException;
import io.latimer.operators.device.DeviceMemoryException;

/** A sentence on its way through a search on a GPU. */
final class GpuSentence {
  private final GpuCall call;
  private final int[] ids;
  private final int[] prefix;

  /** Its places while it is in the search; set by {@link Admission}. */
  int place;

  int firstToken;
  long firstWeight;
  SentenceBlock block;

  /** Its outcome: exactly one of these is set. */
  private int[] result;

  private RecordException failure;

  /**
   * Makes a sentence that waits.
   *
   * @param prefix target words that its translations begin with, fewer than its limit
   */
  GpuSentence(GpuCall call, int[] ids, int[] prefix) {
    this.call = call;
    this.ids = ids;
    this.prefix = prefix;
  }

  int[] ids() {
    return ids;
  }

  int length() {
    return ids.length;
  }

  int[] prefix() {
    return prefix;
  }

  /** Sets the result as written by lat_nmt_drain. */
  void complete(int[] words) {
    result = words;
    call.ended();
  }

  void fail(RecordException reason) {
    failure = reason;
    call.ended();
  }

  /** Whether it failed because memory was short. */
  boolean isShortOfMemory() {
    return failure != null
        && (failure.getCause() instanceof DeviceMemoryException
            || failure.getCause() instanceof OutOfMemoryError);
  }

  /** Forgets its failure, so that it can be decoded again. */
  void retry() {
    failure = null;
  }

  int[] result() {
    return result;
  }

  RecordException failure() {
    return failure;
  }
}
