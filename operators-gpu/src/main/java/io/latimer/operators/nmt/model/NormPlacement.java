package io.latimer.operators.nmt.model;

/** Where a transformer's layers are normalized; {@link TransformerSettings} gives the equations. */
public enum NormPlacement {
  /** After the sum of a layer's input and output: {@code LN(x + f(x))}. */
  POST,
  /** Before a layer: {@code x + f(LN(x))}. */
  PRE,
  /**
   * Before a layer, but self-attention makes its keys and values of what is not normalized: models
   * that Marian trained before v1.10.28.
   */
  PRE_QUERIES
}
