package io.latimer.operators.grammar.text;

import io.latimer.operators.grammar.index.BinaryGrammar;
import io.latimer.operators.grammar.index.GrammarFormatException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Converts a grammar to binary rules that derive the same sentences, in the steps of Lange and
 * Leiß, "To CNF or not to CNF?" (2009): useless symbols, TERM, BIN, DEL, UNIT. Their order keeps
 * the result linear in the size of the grammar: rules are binarized before nullable symbols are
 * left out of them. Equal ends of rules share a variable.
 *
 * <p>START is not needed: a flag, not a rule, says that the empty sentence is in the language. UNIT
 * removes only rules A &rarr; A and repetitions, as binary grammars have unary rules.
 *
 * <p>Of a weighted grammar, every tree of the result has the probability of the best tree of the
 * grammar that it stands for: added variables have one rule, of probability 1; a symbol that is
 * left out costs its best derivation of the empty sentence; of equal rules the best stays.
 */
final class BinaryConversion {
  private final ContextFreeGrammar grammar;
  private final VariableNames unlike;
  private final List<String> names;
  private final List<SourceLine> lines;
  private final Map<Integer, Integer> terminalVariables = new HashMap<>();
  private final Map<Long, Integer> pairVariables = new HashMap<>();
  private RuleTable cut = new RuleTable();
  private int useless;
  private int empty;
  private int del;
  private int unit;

  /** Stands for the missing second symbol of a rule with one symbol. */
  private static final int NONE = -1;

  private BinaryConversion(ContextFreeGrammar grammar) {
    this.grammar = grammar;
    this.names = new ArrayList<>(grammar.variables());
    this.unlike = new VariableNames(names);
    this.lines = new ArrayList<>(names.size());
    for (int variable = 0; variable < names.size(); variable++) {
      lines.add(grammar.variableLine(variable));
    }
  }

  /**
   * A converted grammar.
   *
   * @param grammar the result
   * @param steps what was changed
   */
  record Converted(BinaryGrammar grammar, GrammarReport.Steps steps) {}

  /**
   * Converts a grammar.
   *
   * @param usefulness of its rules
   * @throws GrammarFormatException if it derives nothing, or needs too many variables
   */
  static Converted convert(ContextFreeGrammar grammar, Usefulness usefulness) {
    BinaryConversion conversion = new BinaryConversion(grammar);
    int start = grammar.start();
    if (!usefulness.productive(start)) {
      throw grammar
          .variableLine(start)
          .error(
              "the start symbol "
                  + grammar.variables().get(start)
                  + " derives no sentence: all of its rules lead back to themselves or to symbols"
                  + " without rules; add a rule that ends");
    }
    conversion.cutRules(usefulness);
    double[] emptyWeights = conversion.emptyWeights();
    RuleTable whole = conversion.withoutEmpty(emptyWeights);
    boolean derivesEmpty = emptyWeights[start] > Double.NEGATIVE_INFINITY;
    BinaryGrammar binary = conversion.finish(whole, start, derivesEmpty);
    return new Converted(
        binary,
        new GrammarReport.Steps(
            conversion.useless,
            conversion.terminalVariables.size(),
            conversion.pairVariables.size(),
            conversion.empty,
            conversion.del,
            conversion.unit));
  }

  /** TERM and BIN: leaves rules of at most two symbols, two of them variables. */
  private void cutRules(Usefulness usefulness) {
    RuleTable rules = grammar.rules();
    for (int rule = 0; rule < rules.size(); rule++) {
      if (!usefulness.useful(rule)) {
        useless++;
        continue;
      }
      int[] right = rules.right(rule);
      if (right.length > 1) {
        SourceLine at = grammar.ruleLine(rule);
        for (int place = 0; place < right.length; place++) {
          right[place] = right[place] < 0 ? terminalVariable(right[place], at) : right[place];
        }
        int rest = right[right.length - 1];
        for (int place = right.length - 2; place > 0; place--) {
          rest = pairVariable(right[place], rest, rules.left(rule), at);
        }
        right = new int[] {right[0], rest};
      }
      cut.add(rules.left(rule), rules.weight(rule), right);
    }
  }

  private int terminalVariable(int terminal, SourceLine at) {
    return terminalVariables.computeIfAbsent(
        terminal,
        missing -> {
          String name = unlike.ofTerminal(grammar.terminals().get(~missing));
          return variable(name, at, missing);
        });
  }

  private int pairVariable(int first, int second, int of, SourceLine at) {
    return pairVariables.computeIfAbsent(
        ((long) first << 32) | second,
        missing -> variable(unlike.part(names.get(of)), at, first, second));
  }

  /** Adds a variable whose only rule has this right-hand side. */
  private int variable(String name, SourceLine at, int... right) {
    int id = names.size();
    names.add(name);
    lines.add(at);
    cut.add(id, 0, right);
    return id;
  }

  /**
   * The weight of each variable's best derivation of the empty sentence, or negative infinity. A
   * weight is at most 0, so that no derivation gets better by containing itself, and this ends.
   */
  private double[] emptyWeights() {
    double[] best = new double[names.size()];
    Arrays.fill(best, Double.NEGATIVE_INFINITY);
    int[][] byRight = cut.byRight(best.length);
    ArrayDeque<Integer> changed = new ArrayDeque<>();
    for (int rule = 0; rule < cut.size(); rule++) {
      if (cut.length(rule) == 0) {
        improve(best, rule, changed);
      }
    }
    while (!changed.isEmpty()) {
      for (int rule : byRight[changed.poll()]) {
        improve(best, rule, changed);
      }
    }
    return best;
  }

  private void improve(double[] best, int rule, ArrayDeque<Integer> changed) {
    double weight = cut.weight(rule);
    for (int place = 0; place < cut.length(rule); place++) {
      int symbol = cut.symbol(rule, place);
      weight += symbol < 0 ? Double.NEGATIVE_INFINITY : best[symbol];
    }
    if (weight > best[cut.left(rule)]) {
      best[cut.left(rule)] = weight;
      changed.add(cut.left(rule));
    }
  }

  /** DEL: leaves out, in every way, the symbols that derive the empty sentence. */
  private RuleTable withoutEmpty(double[] emptyWeights) {
    RuleTable whole = new RuleTable();
    for (int rule = 0; rule < cut.size(); rule++) {
      int length = cut.length(rule);
      if (length == 0) {
        empty++;
        continue;
      }
      whole.add(cut.left(rule), cut.weight(rule), cut.right(rule));
      for (int place = 0; place < length && length == 2; place++) {
        double weight = cut.weight(rule) + emptyWeights[cut.symbol(rule, place)];
        if (weight > Double.NEGATIVE_INFINITY) {
          whole.add(cut.left(rule), weight, cut.symbol(rule, 1 - place));
          del++;
        }
      }
    }
    return whole;
  }

  /** UNIT, without what DEL has made useless. */
  private BinaryGrammar finish(RuleTable rules, int start, boolean derivesEmpty) {
    Usefulness usefulness = Usefulness.of(rules, names.size(), start);
    BinaryGrammar.Builder builder = new BinaryGrammar.Builder();
    int[] ids = new int[names.size()];
    for (int variable = 0; variable < ids.length; variable++) {
      boolean useful = usefulness.productive(variable) && usefulness.reachable(variable);
      ids[variable] = useful || variable == start ? declare(builder, variable) : -1;
    }
    for (int[] group : rules.byLeft(names.size())) {
      Map<Long, Double> best = new LinkedHashMap<>();
      for (int rule : group) {
        if (!usefulness.useful(rule)) {
          continue; // derives no words once DEL has left out the empty sentence
        }
        int first = rules.symbol(rule, 0);
        int second = rules.length(rule) == 2 ? rules.symbol(rule, 1) : NONE;
        unit++; // less those that are kept, below
        if (first != rules.left(rule) || second != NONE) {
          best.merge(((long) first << 32) | (second & 0xFFFFFFFFL), rules.weight(rule), Math::max);
        }
      }
      unit -= best.size();
      best.forEach(
          (right, weight) ->
              add(
                  builder,
                  ids,
                  rules.left(group[0]),
                  (int) (right >> 32),
                  right.intValue(),
                  weight));
    }
    if (derivesEmpty) {
      builder.derivesEmpty();
    }
    if (grammar.weighted()) {
      builder.weighted();
    }
    return builder.build(ids[start]);
  }

  private int declare(BinaryGrammar.Builder builder, int variable) {
    if (builder.variables() == BinaryGrammar.MAX_VARIABLES) {
      throw lines
          .get(variable)
          .error(
              "the variable "
                  + names.get(variable)
                  + " is one too many: a grammar has at most "
                  + BinaryGrammar.MAX_VARIABLES
                  + " variables, with those added for terminals in long rules (TERM) and for the"
                  + " ends of long rules (BIN)");
    }
    return builder.variable(names.get(variable));
  }

  private void add(
      BinaryGrammar.Builder builder, int[] ids, int left, int first, int second, double exact) {
    float weight = (float) exact;
    if (weight == Float.NEGATIVE_INFINITY) {
      throw lines
          .get(left)
          .error(
              "the probability of a rule of "
                  + names.get(left)
                  + " is smaller than numbers of 32 bits can be, after symbols were removed that"
                  + " derive nothing");
    }
    if (first < 0) {
      builder.lexical(ids[left], grammar.terminals().get(~first), weight);
    } else if (second == NONE) {
      builder.unary(ids[left], ids[first], weight);
    } else {
      builder.binary(ids[left], ids[first], ids[second], weight);
    }
  }
}
