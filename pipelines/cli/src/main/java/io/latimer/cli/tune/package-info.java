/** The command {@code tune}. */
package io.latimer.cli.tune;
