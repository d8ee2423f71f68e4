/**
 * Decoding on a GPU by continuous batching: the sentences of all callers join and leave a few
 * searches that run on the device.
 */
package io.latimer.operators.nmt.gpu;
