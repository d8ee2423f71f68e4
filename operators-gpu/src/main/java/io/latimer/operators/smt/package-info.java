/**
 * Phrase-based translation: a beam search over the phrases that {@link
 * io.latimer.operators.phrases.Phrases} finds for a sentence, scored by the features of these and a
 * language model (Koehn, Och and Marcu, "Statistical Phrase-Based Translation", 2003; end to end as
 * in section 5.4 of He, Lin and Lopez 2013).
 */
package io.latimer.operators.smt;
