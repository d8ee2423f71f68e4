package io.latimer.operators.nmt.model;

/** The elementwise function between the two layers of a transformer's feed-forward network. */
public enum Activation {
  /** {@code max(0, x)}. */
  RELU,
  /** {@code x * sigmoid(x)}. */
  SWISH,
  /** {@code x * sigmoid(1.702 x)}: Marian's gelu. */
  GELU;

  /** The factor inside the sigmoid of Marian's gelu. */
  public static final float GELU_FACTOR = 1.702f;
}
