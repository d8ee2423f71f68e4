/** The command {@code align}. */
package io.latimer.cli.align;
