package io.latimer.operators.grammar.text;

import io.latimer.operators.grammar.index.GrammarFormatException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * A context-free grammar as read: rules of a variable on the left and 0 to {@value #LONGEST_RULE}
 * symbols on the right. Variables have ids in the order in which the files first name them.
 * Immutable.
 */
final class ContextFreeGrammar {
  /** Maximum symbols on the right of a rule. */
  static final int LONGEST_RULE = 255;

  private final List<String> variables;
  private final List<String> terminals;
  private final RuleTable rules;
  private final List<SourceLine> ruleLines;
  private final List<SourceLine> variableLines;
  private final int start;
  private final boolean weighted;

  private ContextFreeGrammar(Builder builder, List<String> names, int start) {
    this.variables = names;
    this.terminals = List.copyOf(builder.terminals);
    this.rules = builder.rules;
    this.ruleLines = List.copyOf(builder.ruleLines);
    this.variableLines = List.copyOf(builder.variableLines);
    this.start = start;
    this.weighted = builder.weighted;
  }

  /** The names of the variables by their ids. */
  List<String> variables() {
    return variables;
  }

  /** The terminals by their ids. */
  List<String> terminals() {
    return terminals;
  }

  /** The id of the start variable. */
  int start() {
    return start;
  }

  /** Whether the rules have probabilities. */
  boolean weighted() {
    return weighted;
  }

  /** The rules, not to be changed. */
  RuleTable rules() {
    return rules;
  }

  /** Where a rule is. */
  SourceLine ruleLine(int rule) {
    return ruleLines.get(rule);
  }

  /** Where a variable is first named. */
  SourceLine variableLine(int variable) {
    return variableLines.get(variable);
  }

  /** The variables without rules, in the order of their ids. */
  List<Integer> undefined() {
    int[][] byLeft = rules.byLeft(variables.size());
    List<Integer> undefined = new ArrayList<>();
    for (int variable = 0; variable < byLeft.length; variable++) {
      if (byLeft[variable].length == 0) {
        undefined.add(variable);
      }
    }
    return undefined;
  }

  /** The same grammar with other rules, each with the line of a rule of this grammar. */
  ContextFreeGrammar withRules(RuleTable changed, List<SourceLine> lines) {
    Builder builder = new Builder();
    builder.terminals.addAll(terminals);
    builder.rules = changed;
    builder.ruleLines.addAll(lines);
    builder.variableLines.addAll(variableLines);
    builder.weighted = weighted;
    return new ContextFreeGrammar(builder, variables, start);
  }

  /** Collects symbols and rules. Not thread-safe. */
  static final class Builder {
    private final List<String> variables = new ArrayList<>(); // null for parts of rules
    private final List<String> partOf = new ArrayList<>();
    private final List<SourceLine> variableLines = new ArrayList<>();
    private final Map<String, Integer> variableIds = new HashMap<>();
    private final List<String> terminals = new ArrayList<>();
    private final Map<String, Integer> terminalIds = new HashMap<>();
    private final List<SourceLine> ruleLines = new ArrayList<>();
    private RuleTable rules = new RuleTable();
    private boolean weighted;

    /** The symbol of a variable, named here. */
    int variable(String name, SourceLine at) {
      Integer id = variableIds.get(name);
      return id == null ? add(name, name, at) : id;
    }

    /** The symbol of a variable without a name of its own, for a part of the rules of another. */
    int part(String of, SourceLine at) {
      return add(null, of, at);
    }

    private int add(String name, String of, SourceLine at) {
      int id = variables.size();
      variables.add(name);
      partOf.add(of);
      variableLines.add(at);
      if (name != null) {
        variableIds.put(name, id);
      }
      return id;
    }

    /** The symbol of a terminal: one word. */
    int terminal(String word) {
      Integer id = terminalIds.get(word);
      if (id == null) {
        id = terminals.size();
        terminals.add(word);
        terminalIds.put(word, id);
      }
      return ~id;
    }

    /** Takes a variable without rules: its id, its name and where it is first named. */
    @FunctionalInterface
    interface Undefined {
      void take(int variable, String name, SourceLine at);
    }

    /** Passes on the variables without rules. */
    void forEachUndefined(Undefined taker) {
      int[][] byLeft = rules.byLeft(variables.size());
      for (int variable = 0; variable < byLeft.length; variable++) {
        if (byLeft[variable].length == 0) {
          taker.take(variable, variables.get(variable), variableLines.get(variable));
        }
      }
    }

    /** Says that the rules have probabilities. */
    void weighted() {
      weighted = true;
    }

    /**
     * Adds a rule.
     *
     * @param weight the natural logarithm of its probability, at most 0; 0 without one
     * @throws GrammarFormatException if it is too long
     */
    void rule(int left, int[] right, double weight, SourceLine at) {
      requireLength(right, partOf.get(left), at);
      rules.add(left, weight, right);
      ruleLines.add(at);
    }

    /** Throws if the right side of a rule of a variable is too long. */
    static void requireLength(int[] right, String variable, SourceLine at) {
      if (right.length > LONGEST_RULE) {
        throw at.error(
            "a rule of "
                + variable
                + " has more than "
                + LONGEST_RULE
                + " symbols; split it into several");
      }
    }

    /**
     * Makes the grammar.
     *
     * @param start name of the start variable
     * @throws GrammarFormatException if it has no rule
     */
    ContextFreeGrammar build(String start, String files) {
      Integer id = variableIds.get(start);
      boolean defined = false;
      for (int rule = 0; id != null && rule < rules.size() && !defined; rule++) {
        defined = rules.left(rule) == id;
      }
      if (!defined) {
        throw new GrammarFormatException(
            files + ": the start symbol " + start + " has no rule; add one, or name another start");
      }
      VariableNames unlike = new VariableNames(variableIds.keySet());
      List<String> names = new ArrayList<>(variables.size());
      for (int variable = 0; variable < variables.size(); variable++) {
        String name = variables.get(variable);
        names.add(Objects.requireNonNullElseGet(name, partName(unlike, variable)));
      }
      return new ContextFreeGrammar(this, List.copyOf(names), id);
    }

    private Supplier<String> partName(VariableNames unlike, int variable) {
      return () -> unlike.part(partOf.get(variable));
    }
  }
}
