package io.latimer.operators.nmt;

/**
 * The parts that a translation has besides its text.
 *
 * @param nBest length of the list of alternatives, whose entries always have scores; 1 for none
 * @param scores whether translations have scores
 * @param alignment whether translations and alternatives have an alignment
 */
public record TranslatedParts(int nBest, boolean scores, boolean alignment) {}
