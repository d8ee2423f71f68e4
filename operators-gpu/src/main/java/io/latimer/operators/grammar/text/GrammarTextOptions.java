package io.latimer.operators.grammar.text;

/**
 * How to read a grammar.
 *
 * @param format of the files; null to detect it, as {@link GrammarFormat#of} does
 * @param start the start symbol; null for that of the files, as the format says
 * @param strict whether useless symbols are errors: those that are unreachable from the start or
 *     derive no sentence
 * @param allowUndefined whether symbols without rules are allowed, which then derive nothing
 */
public record GrammarTextOptions(
    GrammarFormat format, String start, boolean strict, boolean allowUndefined) {
  /** Format detected, start symbol of the files, useless symbols allowed, undefined ones not. */
  public static final GrammarTextOptions DEFAULT = new GrammarTextOptions(null, null, false, false);
}
