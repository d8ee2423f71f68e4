package io.latimer.operators.grammar.text;

/**
 * How to read a grammar.
 *
 * @param format of the files; null to find it out, as {@link GrammarFormat#of} does
 * @param start the start symbol; null for that of the files, as the format says
 * @param strict whether useless symbols are errors: those that are unreachable from the start or
 *     derive no sentence
 * @param allowUndefined whether symbols without rules are allowed, which then derive nothing
 */
public record GrammarTextOptions(
    GrammarFormat format, String start, boolean strict, boolean allowUndefined) {
  /** Every grammar, as its files say. */
  public static final GrammarTextOptions DEFAULT = new GrammarTextOptions(null, null, false, false);
}
