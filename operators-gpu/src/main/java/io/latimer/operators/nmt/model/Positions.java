package io.latimer.operators.nmt.model;

/** How a transformer knows where a word stands; {@link TransformerSettings} gives the equations. */
public enum Positions {
  /** Sines and cosines, added to the embeddings. */
  SINUSOIDAL,
  /** Trained vectors, added to the embeddings. A sentence must not be longer than their table. */
  LEARNED,
  /** Trained biases of self-attention, by the distance between two words (T5). */
  RELATIVE
}
