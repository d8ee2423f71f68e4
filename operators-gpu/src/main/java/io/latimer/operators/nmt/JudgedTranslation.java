package io.latimer.operators.nmt;

import java.util.OptionalDouble;

/**
 * What a model thinks of a translation.
 *
 * @param quality the probability that it is right, 0 to 1; empty if the model has no judge
 * @param score natural-log probability of all its tokens, end token included; at most 0
 * @param normalizedScore the score divided by the number of tokens
 */
public record JudgedTranslation(OptionalDouble quality, double score, double normalizedScore) {}
