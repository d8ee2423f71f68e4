/** Scores of translations against references: BLEU and chrF. */
package io.latimer.operators.text.bleu;
