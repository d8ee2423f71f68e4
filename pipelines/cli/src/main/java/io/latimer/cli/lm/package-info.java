/** {@code lm}: creates language models and scores text with them. */
package io.latimer.cli.lm;
