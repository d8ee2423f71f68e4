package io.latimer.operators.grammar.text;

import io.latimer.operators.grammar.index.BinaryGrammar;
import io.latimer.operators.grammar.index.GrammarFormatException;

/** The rules of a grammar that was binary when it was read. */
final class BinaryRules {
  private BinaryRules() {}

  /** All rules, for {@link Usefulness}. */
  static RuleTable table(BinaryGrammar grammar) {
    RuleTable rules = new RuleTable();
    for (int rule = 0; rule < grammar.binaryRules(); rule++) {
      rules.add(
          grammar.parent(rule),
          grammar.binaryWeight(rule),
          grammar.left(rule),
          grammar.right(rule));
    }
    for (int rule = 0; rule < grammar.unaryRules(); rule++) {
      rules.add(grammar.unaryParent(rule), grammar.unaryWeight(rule), grammar.unaryChild(rule));
    }
    for (int rule = 0; rule < grammar.lexicalRules(); rule++) {
      rules.add(grammar.lexicalParent(rule), grammar.lexicalWeight(rule), ~grammar.terminal(rule));
    }
    return rules;
  }

  /**
   * The same grammar with another start.
   *
   * @param files their names, for messages
   */
  static BinaryGrammar withStart(BinaryGrammar grammar, String start, String files) {
    BinaryGrammar.Builder builder = new BinaryGrammar.Builder();
    grammar.variables().forEach(builder::variable);
    for (int rule = 0; rule < grammar.binaryRules(); rule++) {
      builder.binary(
          grammar.parent(rule),
          grammar.left(rule),
          grammar.right(rule),
          grammar.binaryWeight(rule));
    }
    for (int rule = 0; rule < grammar.unaryRules(); rule++) {
      builder.unary(grammar.unaryParent(rule), grammar.unaryChild(rule), grammar.unaryWeight(rule));
    }
    for (int rule = 0; rule < grammar.lexicalRules(); rule++) {
      builder.lexical(
          grammar.lexicalParent(rule),
          grammar.terminals().get(grammar.terminal(rule)),
          grammar.lexicalWeight(rule));
    }
    if (grammar.weighted()) {
      builder.weighted();
    }
    int id = builder.find(start);
    if (id < 0) {
      throw new GrammarFormatException(
          files + ": the start symbol " + start + " is not declared; name another start");
    }
    if (grammar.derivesEmpty() && id != grammar.start()) {
      throw new GrammarFormatException(
          files
              + ": the line e says that "
              + grammar.variables().get(grammar.start())
              + " derives the empty sentence, not whether "
              + start
              + " does; change the file to change the start");
    }
    return id == grammar.start() ? grammar : builder.build(id);
  }
}
