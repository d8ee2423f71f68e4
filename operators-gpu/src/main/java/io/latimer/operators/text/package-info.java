/**
 * Conversion between the text of records and the ids of a translation model.
 *
 * <p>{@link io.latimer.operators.text.TextPipeline} parts a record into sentences, normalizes,
 * tokenizes and segments them as {@link io.latimer.operators.text.TextSettings} say, looks the
 * tokens up in a {@link io.latimer.operators.text.Vocabulary}, and goes the whole way back. No
 * network in here: what lies between is {@code io.latimer.operators.nmt}.
 */
package io.latimer.operators.text;
