/**
 * Translation of raw text: the operator {@link io.latimer.operators.nmt.Translate} splits records
 * into sentences, decodes these together, and reassembles the records.
 */
package io.latimer.operators.nmt;
