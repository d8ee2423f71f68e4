/**
 * Translation of raw text: the operator {@link io.latimer.operators.nmt.Translate}, which splits
 * records into sentences, decodes them together and puts the records together again.
 */
package io.latimer.operators.nmt;
