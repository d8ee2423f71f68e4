package io.latimer.operators.lm;

/**
 * The scores of the words of a {@link LmSentence}, with one for {@code </s>} where that is scored.
 *
 * @param log10 log10 of the probability of each word in its context
 * @param lengths words of the longest n-gram of the model that matched, 1 to its order
 * @param unknown how many of the words have id 0
 * @param total the sum, each step of it rounded to float32, in the order of the words
 * @param out the context for what follows
 */
public record WordScores(float[] log10, byte[] lengths, int unknown, float total, LmState out) {}
