package io.latimer.operators.smt;

import java.util.List;

/**
 * The choices of a batch of sentences.
 *
 * @param sentences of each sentence, per word and number of words less one, the choices for the
 *     phrase, best first, with consecutive numbers; null for none. Each word has choices of its own
 * @param choices all choices, by number
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Lattices(List<Choice[][][]> sentences, Choice[] choices) {}
