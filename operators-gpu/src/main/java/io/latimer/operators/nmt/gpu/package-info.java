/**
 * Decoding on a GPU: one continuous search on the device, which the sentences of all callers join
 * and leave.
 */
package io.latimer.operators.nmt.gpu;
