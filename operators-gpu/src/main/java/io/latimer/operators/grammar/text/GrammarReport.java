package io.latimer.operators.grammar.text;

import java.util.List;

/**
 * What reading a grammar found and what its conversion to binary rules did. Rules that were already
 * binary (format {@link GrammarFormat#RULES}) are not changed: the steps are all 0, and useless
 * variables stay.
 *
 * @param format the format of the files
 * @param rules rules in the files, with every repetition, option and group written as rules
 * @param steps what the conversion changed
 * @param undefined variables without rules, each with its file and line
 * @param unproductive other variables that derive no sentence, such as {@code B in a.cfg line 3}
 * @param unreachable other variables that no derivation from the start has
 * @param unbalanced variables whose rules have probabilities that do not sum to 1, within 0.01,
 *     each with its sum, such as {@code S in a.cfg line 3 (0.9)}; of the symbols of the files,
 *     before the conversion
 * @param variables variables of the result
 * @param terminals terminals of the result
 * @param binaryRules rules A &rarr; B C of the result
 * @param unaryRules rules A &rarr; B of the result
 * @param lexicalRules rules A &rarr; terminal of the result
 * @param derivesEmpty whether the empty sentence is in the language
 * @param weighted whether the rules have probabilities
 */
public record GrammarReport(
    GrammarFormat format,
    int rules,
    Steps steps,
    List<String> undefined,
    List<String> unproductive,
    List<String> unreachable,
    List<String> unbalanced,
    int variables,
    int terminals,
    int binaryRules,
    int unaryRules,
    int lexicalRules,
    boolean derivesEmpty,
    boolean weighted) {
  public GrammarReport {
    undefined = List.copyOf(undefined);
    unproductive = List.copyOf(unproductive);
    unreachable = List.copyOf(unreachable);
    unbalanced = List.copyOf(unbalanced);
  }

  /**
   * The steps of the conversion to Chomsky normal form with unary rules, in order.
   *
   * @param useless rules removed because no derivation of a sentence has them
   * @param term variables added for terminals in rules of two or more symbols (TERM)
   * @param bin variables added for the ends of rules of three or more symbols (BIN)
   * @param empty rules with an empty right side removed (DEL)
   * @param del rules added that leave out symbols deriving the empty sentence (DEL)
   * @param unit rules A &rarr; A and repeated rules removed (UNIT)
   */
  public record Steps(int useless, int term, int bin, int empty, int del, int unit) {
    static final Steps NONE = new Steps(0, 0, 0, 0, 0, 0);
  }
}
