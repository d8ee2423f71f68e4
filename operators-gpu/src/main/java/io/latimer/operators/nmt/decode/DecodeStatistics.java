package io.latimer.operators.nmt.decode;

import io.latimer.operators.nmt.cpu.DecodeCpu;

/**
 * What a {@link DecodeCpu} did since it was made.
 *
 * @param sentences sentences decoded
 * @param sourceTokens their source tokens, end tokens included
 * @param targetTokens tokens of their best hypotheses, end tokens included
 * @param steps hypotheses times words computed
 * @param nanos time that its threads worked, summed over the threads
 * @param matrixNanos that part of it which was spent in matrix products
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
