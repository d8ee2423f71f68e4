/** Benchmarks of operators on a GPU host; they need the operators and nothing else of the house. */
package io.latimer.benchmarks.gpu;
