package io.latimer.operators.grammar.index;

/**
 * What a grammar's index contains.
 *
 * @param variables variables
 * @param terminals distinct terminals
 * @param binaryRules rules A &rarr; B C as read
 * @param unaryRules rules A &rarr; B as read
 * @param lexicalRules rules A &rarr; terminal as read
 * @param derivesEmpty whether the empty sentence is in the language
 * @param weighted whether the rules have probabilities
 * @param classes classes of variables that derive each other by unary rules
 * @param classRules binary rules between classes, without those that others make redundant
 * @param rightSides distinct right-hand sides of these
 * @param fileBytes size of the file
 */
public record GrammarIndexReport(
    int variables,
    int terminals,
    int binaryRules,
    int unaryRules,
    int lexicalRules,
    boolean derivesEmpty,
    boolean weighted,
    int classes,
    int classRules,
    int rightSides,
    long fileBytes) {

  static GrammarIndexReport of(GrammarSettings settings, long fileBytes) {
    return new GrammarIndexReport(
        settings.variables(),
        settings.terminals() - 1,
        settings.binaryRules(),
        settings.unaryRules(),
        settings.lexicalRules(),
        settings.derivesEmpty(),
        settings.weighted(),
        settings.classes(),
        settings.classRules(),
        settings.sides(),
        fileBytes);
  }
}
