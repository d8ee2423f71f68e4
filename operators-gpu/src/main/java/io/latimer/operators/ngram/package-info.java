/**
 * Counting of n-grams of bytes and of words: Bianco, "NGrams with CUDA".
 *
 * <p>{@link io.latimer.operators.ngram.CountNgrams} is the operator, with an implementation for the
 * CPU, which is the oracle, and one for the GPU; {@link io.latimer.operators.ngram.NgramCounts} is
 * what it has counted, and can be kept, sent and merged.
 */
package io.latimer.operators.ngram;
