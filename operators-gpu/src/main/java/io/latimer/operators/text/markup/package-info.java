/**
 * Inline markup of a text (HTML, XML, Markdown): found before translation, which sees the text
 * without it, and put back around the words that correspond. It knows characters and words only,
 * nothing of models.
 */
package io.latimer.operators.text.markup;
