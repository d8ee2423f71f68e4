/**
 * Translation models: their files, settings, equations and weights.
 *
 * <p>Conventions: all matrices act from the right ({@code y = x W + b} with {@code x} a row), are
 * row major, and vectors are matrices of one row. Word 0 ends a sentence, word 1 is the unknown
 * word.
 */
package io.latimer.operators.nmt.model;
