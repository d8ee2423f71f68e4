/** Benchmarks of operators on a GPU host; of Latimer's modules they need only the operators. */
package io.latimer.benchmarks.gpu;
