/**
 * Conversion between the text of records and the ids of a translation model.
 *
 * <p>{@link io.latimer.operators.text.TextPipeline} splits a record into sentences, normalizes,
 * tokenizes and segments them as {@link io.latimer.operators.text.TextSettings} say, looks the
 * tokens up in a {@link io.latimer.operators.text.Vocabulary}, and converts ids back to text. The
 * network in between is in {@code io.latimer.operators.nmt}.
 */
package io.latimer.operators.text;
