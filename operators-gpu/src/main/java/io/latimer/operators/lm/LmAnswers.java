package io.latimer.operators.lm;

/**
 * The scores of {@link LmQueries}, in their order. The arrays are not copied; do not modify them.
 *
 * @param log10 log10 of the probability of each word in its context
 * @param lengths words of the longest n-gram that matched, 1 to the model's order
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record LmAnswers(float[] log10, byte[] lengths) {}
