/**
 * Tunes the weights of the phrase decoder on sentences with reference translations: minimum error
 * rate training (Och, "Minimum Error Rate Training in Statistical Machine Translation", 2003). The
 * decoder translates the sentences with n-best lists, weights are searched that choose from all
 * lists so far the translations with the highest BLEU, and so on with these weights.
 */
package io.latimer.operators.smt.tune;
