/**
 * {@code beam}: starts the programs of the Beam module, in a process of their own: Beam has another
 * version of Flink than this program.
 */
package io.latimer.cli.beam;
