/**
 * Mutated files of every format, read in a process of their own: only documented errors may come.
 */
package io.latimer.operators.fuzz;
