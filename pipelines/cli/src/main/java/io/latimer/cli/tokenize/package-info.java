/** The command {@code tokenize}. */
package io.latimer.cli.tokenize;
