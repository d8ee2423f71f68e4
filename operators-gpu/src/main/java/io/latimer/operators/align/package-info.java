/**
 * Word alignment of sentence pairs with the lexicon of a phrase index: a lexical model with a
 * diagonal prior (Dyer, Chahuneau and Smith 2013) in both directions, symmetrized.
 */
package io.latimer.operators.align;
