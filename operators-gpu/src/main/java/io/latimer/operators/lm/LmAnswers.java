package io.latimer.operators.lm;

/**
 * The scores of {@link LmQueries}, in their order.
 *
 * @param log10 log10 of the probability of each word in its context
 * @param lengths words of the longest n-gram of the model that matched, 1 to its order
 */
public record LmAnswers(float[] log10, byte[] lengths) {}
