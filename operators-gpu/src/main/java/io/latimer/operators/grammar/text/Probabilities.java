package io.latimer.operators.grammar.text;

import io.latimer.operators.grammar.index.GrammarFormatException;

/** The probabilities of a grammar's rules: all have one, or none. */
final class Probabilities {
  /** How far above 1 a probability may be, as rounded sums can be. */
  private static final double ROUNDING = 1e-6;

  private final ContextFreeGrammar.Builder grammar;
  private Boolean weighted;

  Probabilities(ContextFreeGrammar.Builder grammar) {
    this.grammar = grammar;
  }

  /**
   * The weight of a rule.
   *
   * @param probability null if it has none
   * @throws GrammarFormatException if earlier rules had a probability and this one has none, or
   *     vice versa
   */
  double weight(Double probability, SourceLine at) {
    if (weighted == null) {
      weighted = probability != null;
      if (weighted) {
        grammar.weighted();
      }
    }
    if (weighted != (probability != null)) {
      throw at.error(
          weighted
              ? "this rule has no probability, those before have; add one"
              : "this rule has a probability, those before have none; remove it or add theirs");
    }
    return probability == null ? 0 : Math.log(Math.min(1, probability));
  }

  /** Parses a probability above 0. */
  static double parse(String text, SourceLine at) {
    double probability = parseOrZero(text, at);
    if (probability == 0) {
      throw at.error("a probability is 0; remove the rule");
    }
    return probability;
  }

  /** Parses a probability from 0 to 1. */
  static double parseOrZero(String text, SourceLine at) {
    double probability;
    try {
      probability = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new GrammarFormatException(
          at.error("expected a probability, found " + GrammarReader.shown(text)).getMessage(), e);
    }
    if (!(probability >= 0 && probability <= 1 + ROUNDING)) {
      throw at.error("expected a probability from 0 to 1, found " + text);
    }
    return probability;
  }
}
