/** {@code ngrams}: counts n-grams. */
package io.latimer.cli.ngrams;
