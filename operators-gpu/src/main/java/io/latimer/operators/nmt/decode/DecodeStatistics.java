package io.latimer.operators.nmt.decode;

/**
 * The work of a decoder on the CPU since it was made.
 *
 * @param sentences sentences decoded
 * @param sourceTokens their source tokens, including end tokens
 * @param targetTokens tokens of their best hypotheses, including end tokens
 * @param steps hypotheses times words, summed over all steps
 * @param nanos working time, summed over the threads
 * @param matrixNanos the part of it spent in matrix products
 */
public record DecodeStatistics(
    long sentences,
    long sourceTokens,
    long targetTokens,
    long steps,
    long nanos,
    long matrixNanos) {

  /** The share of time in matrix products, 0 to 1. */
  public double matrixShare() {
    return nanos == 0 ? 0 : (double) matrixNanos / nanos;
  }
}
