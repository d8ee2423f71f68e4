/** Decoding on the CPU: the oracle for all devices; OpenBLAS, or oneDNN in 8 bits, on all cores. */
package io.latimer.operators.nmt.cpu;
