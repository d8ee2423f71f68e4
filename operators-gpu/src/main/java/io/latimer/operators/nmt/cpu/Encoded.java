package io.latimer.operators.nmt.cpu;

/** The encoder's output for a batch: sentences concatenated, without padding. */
final class Encoded {
  /** Source tokens of each sentence. */
  int[] length = {};

  /** First token of each sentence. */
  int[] offset = {};

  /** Tokens x 2H: forward state, backward state. */
  float[] annotations = {};

  /** Tokens x A: annotations projected for the attention. */
  float[] keys = {};

  /** Sentences x H: initial decoder states. */
  float[] start = {};
}
