/**
 * The program: {@link io.latimer.cli.Latimer} combines the commands of the packages below into one
 * and runs it. Results go to standard output, everything else to standard error.
 *
 * <p>Exit codes: 0 success, 1 failure, 2 usage error; as in shells, 130 and 143 after Ctrl-C and
 * SIGTERM, and 141 if the reader of standard output is gone.
 *
 * <p>Each of these packages imports only later ones: this package, {@code demo}, {@code job} and
 * the other commands, {@code command}, {@code terminal}.
 */
package io.latimer.cli;
