/** Standard input, output and error, progress, and signals; independent of the commands. */
package io.latimer.cli.terminal;
