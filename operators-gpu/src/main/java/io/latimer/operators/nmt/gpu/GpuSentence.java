package io.latimer.operators.nmt.gpu;

import io.latimer.operators.RecordException;
import io.latimer.operators.device.DeviceMemoryException;
import io.latimer.operators.nmt.decode.DecodeInput;

/** A sentence on its way through a search on a GPU. */
final class GpuSentence {
  private final GpuCall call;
  private final DecodeInput input;
  private final int limit;
  private final boolean mayLoop;

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
   * @param input has been checked
   * @param limit maximum number of target words
   * @param mayLoop whether its translations may loop
   */
  GpuSentence(GpuCall call, DecodeInput input, int limit, boolean mayLoop) {
    this.call = call;
    this.input = input;
    this.limit = limit;
    this.mayLoop = mayLoop;
  }

  int[] ids() {
    return input.ids();
  }

  int length() {
    return input.length();
  }

  int[] prefix() {
    return input.prefix();
  }

  int limit() {
    return limit;
  }

  boolean mayLoop() {
    return mayLoop;
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
