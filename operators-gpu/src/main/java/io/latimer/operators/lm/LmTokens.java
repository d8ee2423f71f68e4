package io.latimer.operators.lm;

/** Flags in a token beside the id of its word, as in {@code latimer_kernels.h}. */
final class LmTokens {
  /** LAT_LM_FIRST: the preceding tokens are not context. */
  static final int FIRST = 0x80000000;

  /** LAT_LM_CONTEXT: a token that is not scored. */
  static final int CONTEXT = 0x40000000;

  /** LAT_LM_NONE: takes the place of an id. */
  static final int NONE = 0xFFFFFFFF;

  private LmTokens() {}
}
