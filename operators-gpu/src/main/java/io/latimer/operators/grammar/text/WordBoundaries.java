package io.latimer.operators.grammar.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes rules over words from rules over parts of words and the white space between them. Refuses
 * rules that join parts into a word: the recognizer takes words as a whole.
 */
final class WordBoundaries {
  /** The terminal for white space. */
  static final String BOUNDARY = " ";

  /** The suffix that a variable's name gets in the names of parts of its rules. */
  private static final Pattern PART = Pattern.compile("~\\d+$");

  private final ContextFreeGrammar grammar;
  private final RuleTable rules;
  private final int boundary;
  private final boolean[] blank; // variables that derive nothing but white space, if anything
  private final boolean[] empty; // variables that derive nothing, without white space
  private final boolean[] begins; // variables that can begin with a part of a word
  private final boolean[] ends;

  private WordBoundaries(ContextFreeGrammar grammar) {
    this.grammar = grammar;
    this.rules = grammar.rules();
    this.boundary = ~grammar.terminals().indexOf(BOUNDARY);
    int variables = grammar.variables().size();
    this.blank = new boolean[variables];
    this.empty = new boolean[variables];
    this.begins = new boolean[variables];
    this.ends = new boolean[variables];
  }

  /** Removes the white space from the rules, which must be the only thing between words. */
  static ContextFreeGrammar remove(ContextFreeGrammar grammar) {
    WordBoundaries boundaries = new WordBoundaries(grammar);
    boundaries.findBlank();
    boundaries.findEmpty();
    boundaries.findEdges();
    for (int rule = 0; rule < grammar.rules().size(); rule++) {
      boundaries.requireBoundaries(rule);
    }
    return boundaries.withoutBlanks();
  }

  /**
   * Whether a symbol is white space; without a boundary, {@code boundary} is ~-1 = 0, no terminal.
   */
  private boolean isBlank(int symbol) {
    return symbol < 0 ? symbol == boundary : blank[symbol];
  }

  private void findBlank() {
    Arrays.fill(blank, true);
    repeat(
        rule -> {
          boolean words = anySymbol(rule, symbol -> !isBlank(symbol));
          return words && change(blank, rules.left(rule), false);
        });
    boolean[] spaces = new boolean[blank.length];
    repeat(
        rule ->
            blank[rules.left(rule)]
                && anySymbol(rule, symbol -> symbol < 0 || spaces[symbol])
                && change(spaces, rules.left(rule), true));
    System.arraycopy(spaces, 0, blank, 0, blank.length);
  }

  private void findEmpty() {
    repeat(
        rule ->
            !anySymbol(rule, symbol -> !isEmpty(symbol)) && change(empty, rules.left(rule), true));
  }

  private boolean isEmpty(int symbol) {
    return symbol >= 0 && !blank[symbol] && empty[symbol];
  }

  private void findEdges() {
    repeat(
        rule -> {
          boolean changed = false;
          int length = rules.length(rule);
          for (int place = 0; place < length; place++) {
            int symbol = rules.symbol(rule, place);
            changed |= isEdge(symbol, begins) && change(begins, rules.left(rule), true);
            if (!isEmpty(symbol)) {
              break;
            }
          }
          for (int place = length - 1; place >= 0; place--) {
            int symbol = rules.symbol(rule, place);
            changed |= isEdge(symbol, ends) && change(ends, rules.left(rule), true);
            if (!isEmpty(symbol)) {
              break;
            }
          }
          return changed;
        });
  }

  private boolean isEdge(int symbol, boolean[] edges) {
    return symbol < 0 ? symbol != boundary : !blank[symbol] && edges[symbol];
  }

  private void requireBoundaries(int rule) {
    int length = rules.length(rule);
    for (int place = 0; place < length; place++) {
      int left = rules.symbol(rule, place);
      boolean joins = isEdge(left, ends);
      for (int next = place + 1; next < length && joins; next++) {
        int right = rules.symbol(rule, next);
        if (isEdge(right, begins)) {
          throw grammar
              .ruleLine(rule)
              .error(
                  "a word of "
                      + PART.matcher(grammar.variables().get(rules.left(rule))).replaceFirst("")
                      + " is put together from "
                      + shown(left)
                      + " and "
                      + shown(right)
                      + ", but words are checked as wholes; write white space between them, or the"
                      + " whole words");
        }
        joins = isEmpty(right);
      }
    }
  }

  private String shown(int symbol) {
    if (symbol < 0) {
      return "\"" + grammar.terminals().get(~symbol) + "\"";
    }
    Matcher part = PART.matcher(grammar.variables().get(symbol));
    return (part.find() ? "a part of " : "") + part.replaceFirst("");
  }

  private ContextFreeGrammar withoutBlanks() {
    RuleTable words = new RuleTable();
    List<SourceLine> lines = new ArrayList<>();
    for (int rule = 0; rule < rules.size(); rule++) {
      int[] right = Arrays.stream(rules.right(rule)).filter(symbol -> !isBlank(symbol)).toArray();
      words.add(rules.left(rule), rules.weight(rule), right);
      lines.add(grammar.ruleLine(rule));
    }
    return grammar.withRules(words, lines);
  }

  private boolean anySymbol(int rule, IntPredicate test) {
    for (int place = 0; place < rules.length(rule); place++) {
      if (test.test(rules.symbol(rule, place))) {
        return true;
      }
    }
    return false;
  }

  private static boolean change(boolean[] flags, int at, boolean to) {
    boolean changed = flags[at] != to;
    flags[at] = to;
    return changed;
  }

  /** Applies a step to all rules until it changes nothing. */
  private void repeat(IntPredicate step) {
    BooleanSupplier round =
        () -> {
          boolean changed = false;
          for (int rule = 0; rule < rules.size(); rule++) {
            changed |= step.test(rule);
          }
          return changed;
        };
    boolean more = true;
    while (more) {
      more = round.getAsBoolean();
    }
  }
}
