/**
 * The command line: one class per command, results on the standard output, everything else on the
 * standard error.
 *
 * <p>Exit codes: 0 done, 1 failed, 2 wrong usage; 130 and 141 when stopped by Ctrl-C or by a reader
 * that went away, as shells count it.
 */
package io.latimer.cli;
