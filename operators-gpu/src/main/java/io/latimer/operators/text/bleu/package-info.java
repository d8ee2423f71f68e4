/** The BLEU score of translations. */
package io.latimer.operators.text.bleu;
