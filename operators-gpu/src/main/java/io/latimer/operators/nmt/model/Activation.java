package io.latimer.operators.nmt.model;

/** The elementwise function between the two layers of a transformer's feed-forward network. */
public enum Activation {
  /** {@code max(0, x)}. */
  RELU,
  /** {@code x * sigmoid(x)}. */
  SWISH,
  /** {@code x * sigmoid(1.702 x)}: Marian's gelu. */
  GELU,
  /** {@code x / 2 * (1 + erf(x / sqrt(2)))}: gelu as it is defined. */
  GELU_ERF,
  /** {@code x * sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3))}: gelu by a hyperbolic tangent. */
  GELU_TANH;

  /** The factor inside the sigmoid of Marian's gelu. */
  public static final float GELU_FACTOR = 1.702f;

  /** The factor inside the sigmoid of {@link #GELU_TANH}, 2 sqrt(2 / pi). */
  public static final float GELU_TANH_FACTOR = 1.595769f;

  /** The factor of the cube in it. */
  public static final float GELU_TANH_CUBE = 0.044715f;
}
