/** Decoding on the CPU: the oracle for all devices, with OpenBLAS on all cores. */
package io.latimer.operators.nmt.cpu;
