package io.latimer.operators.nmt.gpu;

import io.latimer.operators.RecordException;

/** A sentence on its way through a search on a GPU. */
final class GpuSentence {
  private final GpuCall call;
  private final int[] ids;

  /** Where it lies in the search while it is there; set by {@link Admission}. */
  int place;

  int firstToken;
  long firstWeight;
  SentenceBlock block;

  /** What became of it: one of these is set. */
  private int[] result;

  private RecordException failure;

  GpuSentence(GpuCall call, int[] ids) {
    this.call = call;
    this.ids = ids;
  }

  int[] ids() {
    return ids;
  }

  int length() {
    return ids.length;
  }

  /** Sets what lat_nmt_drain wrote. */
  void complete(int[] words) {
    result = words;
    call.ended();
  }

  void fail(RecordException reason) {
    failure = reason;
    call.ended();
  }

  int[] result() {
    return result;
  }

  RecordException failure() {
    return failure;
  }
}
