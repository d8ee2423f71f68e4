/** The command {@code memory}: translation memories of other programs. */
package io.latimer.cli.memory;
