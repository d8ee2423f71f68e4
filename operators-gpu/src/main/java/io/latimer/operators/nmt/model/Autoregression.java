package io.latimer.operators.nmt.model;

/** How a layer of a transformer's decoder uses the preceding words; {@link TransformerSettings}. */
public enum Autoregression {
  /** Attention over all of them, with cached keys and values. */
  SELF_ATTENTION,
  /** Their mean (average attention network, Zhang et al. 2018). */
  AVERAGE_ATTENTION,
  /** A simpler simple recurrent unit (Kim et al. 2019). */
  SSRU
}
