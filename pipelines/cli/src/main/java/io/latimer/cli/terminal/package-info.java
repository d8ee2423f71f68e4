/** Standard input, output and error, progress, and signals. Knows no command. */
package io.latimer.cli.terminal;
