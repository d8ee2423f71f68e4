package io.latimer.operators.lm;

/** Flags of a token, beside the id of its word: as {@code latimer_kernels.h} has them. */
final class LmTokens {
  /** LAT_LM_FIRST: what lies before this token is no context. */
  static final int FIRST = 0x80000000;

  /** LAT_LM_CONTEXT: a token that gets no score. */
  static final int CONTEXT = 0x40000000;

  /** LAT_LM_NONE: in place of an id. */
  static final int NONE = 0xFFFFFFFF;

  private LmTokens() {}
}
