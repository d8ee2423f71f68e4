/**
 * Decoding of token ids: the operator {@link io.latimer.operators.nmt.decode.Decode}, its options
 * and results. Its implementations are in {@code nmt.cpu} and {@code nmt.gpu}.
 */
package io.latimer.operators.nmt.decode;
