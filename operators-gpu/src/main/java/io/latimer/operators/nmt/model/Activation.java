package io.latimer.operators.nmt.model;

/** What a transformer puts between the two layers of a feed-forward network, elementwise. */
public enum Activation {
  /** {@code max(0, x)}. */
  RELU,
  /** {@code x * sigmoid(x)}. */
  SWISH,
  /** {@code x * sigmoid(1.702 x)}: what Marian computes under the name gelu. */
  GELU;

  /** The factor that Marian's gelu puts into the sigmoid. */
  public static final float GELU_FACTOR = 1.702f;
}
