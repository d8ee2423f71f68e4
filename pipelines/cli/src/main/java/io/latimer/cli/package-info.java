/**
 * The program: {@link io.latimer.cli.Latimer} makes one command of those in the packages below and
 * runs it. Results go to the standard output, everything else to the standard error.
 *
 * <p>Exit codes: 0 done, 1 failed, 2 wrong usage; 130 and 143 after Ctrl-C and SIGTERM, 141 when
 * the reader of the standard output went away, as shells count them.
 *
 * <p>Imports go one way: this package, {@code demo}, {@code job} and the other commands, {@code
 * command}, {@code terminal}.
 */
package io.latimer.cli;
