/**
 * Word alignment: of a whole parallel text, on which the models are trained ({@link
 * io.latimer.operators.align.AlignedText}), and of single sentence pairs with the lexicon of a
 * phrase index ({@link io.latimer.operators.align.Aligner}). In both, a lexical model with a
 * diagonal prior (Dyer, Chahuneau and Smith 2013) in both directions, symmetrized.
 */
package io.latimer.operators.align;
