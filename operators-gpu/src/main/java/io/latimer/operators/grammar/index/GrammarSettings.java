package io.latimer.operators.grammar.index;

import io.latimer.operators.index.SettingsJson;

/**
 * The section {@code settings} of a grammar's index, specified in {@code docs/formats.md}.
 *
 * @param variables 1 to 65,535
 * @param start id of the start variable
 * @param terminals ids of the terminals, that of unknown words included; 1 or more
 * @param slots slots of the terminals' table
 * @param derivesEmpty whether the empty sentence is in the language
 * @param weighted whether there are the sections {@code weights/} and {@code paths/}
 * @param binaryRules rules A &rarr; B C as read
 * @param unaryRules rules A &rarr; B as read
 * @param lexicalRules rules A &rarr; terminal as read
 * @param classes classes of variables that derive each other; 1 to {@code variables}
 * @param ancestors pairs of a class and another that derives it
 * @param classRules binary rules between classes
 * @param sides distinct right-hand sides of these
 * @param entries pairs of a terminal and a class with a rule for it
 * @param paths pairs of a variable and another that it derives by unary rules; 0 unless weighted
 */
record GrammarSettings(
    int variables,
    int start,
    int terminals,
    int slots,
    boolean derivesEmpty,
    boolean weighted,
    int binaryRules,
    int unaryRules,
    int lexicalRules,
    int classes,
    int ancestors,
    int classRules,
    int sides,
    int entries,
    int paths) {
  /**
   * Parses settings; requires exactly the known keys, and every number in its range.
   *
   * @param origin names the file in messages
   */
  static GrammarSettings fromJson(String origin, byte[] json) {
    SettingsJson.Refusal refuse =
        (message, cause) -> new GrammarIndexException(origin + ": " + message, cause);
    GrammarSettings settings = SettingsJson.read(json, GrammarSettings.class, refuse);
    settings.check(refuse);
    return settings;
  }

  private void check(SettingsJson.Refusal refuse) {
    refuse.requireRange("variables", variables, 1, BinaryGrammar.MAX_VARIABLES);
    refuse.requireRange("start", start, 0, variables - 1);
    refuse.requireRange("terminals", terminals, 1, BinaryGrammar.MAX_RULES);
    refuse.requireRange("slots", slots, 1, BinaryGrammar.MAX_RULES);
    refuse.requireRange("binaryRules", binaryRules, 0, BinaryGrammar.MAX_RULES);
    refuse.requireRange("unaryRules", unaryRules, 0, BinaryGrammar.MAX_RULES);
    refuse.requireRange("lexicalRules", lexicalRules, 0, BinaryGrammar.MAX_RULES);
    refuse.requireRange("classes", classes, 1, variables);
    refuse.requireRange("ancestors", ancestors, 0, ClassRules.MAX_ANCESTORS);
    refuse.requireRange("classRules", classRules, 0, binaryRules);
    refuse.requireRange("sides", sides, 0, classRules);
    refuse.requireRange("entries", entries, 0, lexicalRules);
    refuse.requireRange("paths", paths, 0, weighted ? ClassRules.MAX_ANCESTORS : 0);
  }
}
