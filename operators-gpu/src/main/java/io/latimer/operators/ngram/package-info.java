/**
 * Counts n-grams of bytes and words: Bianco, "NGrams with CUDA".
 *
 * <p>{@link io.latimer.operators.ngram.CountNgrams} is the operator, with a CPU implementation,
 * which is the oracle, and a GPU implementation. {@link io.latimer.operators.ngram.NgramCounts}
 * holds its counts and can be stored, sent and merged.
 */
package io.latimer.operators.ngram;
