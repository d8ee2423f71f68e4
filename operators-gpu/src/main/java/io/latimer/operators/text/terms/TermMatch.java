package io.latimer.operators.text.terms;

/**
 * A place in a sentence where a term stands.
 *
 * @param start first UTF-16 character
 * @param end the character after the last
 * @param text the sentence's characters there
 * @param startsSentence whether it begins a sentence
 * @param term what stands there
 */
public record TermMatch(int start, int end, String text, boolean startsSentence, Term term) {}
