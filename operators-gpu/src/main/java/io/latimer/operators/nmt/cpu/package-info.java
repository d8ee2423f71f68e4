/** Decoding on the CPU: the oracle of all devices, on OpenBLAS and all cores. */
package io.latimer.operators.nmt.cpu;
