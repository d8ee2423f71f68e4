package io.latimer.operators.nmt;

/**
 * A sentence that a translation memory knows, similar to one that it does not.
 *
 * @param source the known sentence, raw text
 * @param translation of the known sentence
 * @param similarity of the two in percent of words, 1 to 100
 */
public record SimilarSentence(String source, Remembered translation, int similarity) {}
