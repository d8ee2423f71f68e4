/** {@code lm}: makes language models and scores text with them. */
package io.latimer.cli.lm;
