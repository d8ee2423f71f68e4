package io.latimer.operators.nmt.cpu;

/** What the encoder made of a batch: sentences one after the other, without padding. */
final class Encoded {
  /** Source tokens of each sentence. */
  int[] length = {};

  /** First token of each sentence. */
  int[] offset = {};

  /** Tokens x 2H: forward state, backward state. */
  float[] annotations = {};

  /** Tokens x A: annotations as the attention sees them. */
  float[] keys = {};

  /** Sentences x H: decoder states to start with. */
  float[] start = {};
}
