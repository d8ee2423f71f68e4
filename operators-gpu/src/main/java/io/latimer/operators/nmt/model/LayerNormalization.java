package io.latimer.operators.nmt.model;

/** How a recurrent model normalizes: {@code (v - mean) / sqrt(variance + epsilon)}. */
public enum LayerNormalization {
  NONE(0f),
  /** Amun and Marian: all gate blocks of a product are normalized as one vector. */
  JOINT(1e-9f),
  /** Nematus: the gates and the candidate are normalized separately. */
  SEPARATE(1e-5f);

  private final float epsilon;

  LayerNormalization(float epsilon) {
    this.epsilon = epsilon;
  }

  /** The number added to the population variance. */
  public float epsilon() {
    return epsilon;
  }
}
