/**
 * The numbers of a text and of its translation.
 *
 * <p>{@link io.latimer.operators.text.numbers.NumberLanguage} has the rules of one language: it
 * finds numbers, says which of a source's numbers a translation lacks, and writes numbers as the
 * language does. Notations, names of months, units and currencies, and number words are those of
 * Unicode CLDR, as ICU has them.
 */
package io.latimer.operators.text.numbers;
