package io.latimer.operators.nmt.model;

/** Where a transformer normalizes; {@link TransformerSettings} gives the equations. */
public enum NormPlacement {
  /** After the sum of a layer's input and output: {@code LN(x + f(x))}. */
  POST,
  /** Before a layer: {@code x + f(LN(x))}. */
  PRE,
  /**
   * Before a layer, but self-attention computes its keys and values from unnormalized inputs:
   * models trained by Marian before v1.10.28.
   */
  PRE_QUERIES
}
