package io.latimer.operators.text.markup;

/** Neighbouring words of a text, from {@code first} to before {@code end}. */
public record WordRange(int first, int end) {}
