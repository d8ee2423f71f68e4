/**
 * Tunes the weights of the phrase decoder on sentences with reference translations: minimum error
 * rate training (Och, "Minimum Error Rate Training in Statistical Machine Translation", 2003). Each
 * iteration translates the sentences with n-best lists, then searches for the weights that choose
 * the translations with the highest BLEU from all lists so far, to go on with. Trains the judge of
 * the translations that the weights find.
 */
package io.latimer.operators.smt.tune;
