/**
 * {@code beam}: starts the programs of the Beam module in separate processes, because Beam uses
 * another version of Flink than this program.
 */
package io.latimer.cli.beam;
