package io.latimer.operators.grammar.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A random grammar and what it derives, found from its rules as they are: the least set of
 * (variable, part of the sentence) that the rules allow. Variables are numbers; terminals are small
 * letters.
 */
final class NaiveGrammar {
  /** A rule; symbols such as X1 are variables. */
  record Rule(int left, List<String> right) {}

  private final int variables;
  private final List<Rule> rules;

  private NaiveGrammar(int variables, List<Rule> rules) {
    this.variables = variables;
    this.rules = rules;
  }

  /** Makes a grammar with empty, unary, recursive, long and repeated rules; some are useless. */
  static NaiveGrammar random(Random random) {
    int variables = 1 + random.nextInt(6);
    List<Rule> rules = new ArrayList<>();
    for (int left = 0; left < variables; left++) {
      for (int i = random.nextInt(4); i >= 0; i--) {
        List<String> right = new ArrayList<>();
        int length = random.nextInt(8) == 0 ? 5 + random.nextInt(3) : random.nextInt(4);
        for (int place = 0; place < length; place++) {
          right.add(
              random.nextBoolean()
                  ? Character.toString('a' + random.nextInt(3))
                  : "X" + random.nextInt(variables));
        }
        rules.add(new Rule(left, right));
      }
    }
    return new NaiveGrammar(variables, rules);
  }

  /** The rules in NLTK's format; the first is of X0, the start. */
  String nltk() {
    StringBuilder text = new StringBuilder();
    for (Rule rule : rules) {
      text.append('X').append(rule.left()).append(" ->");
      for (String symbol : rule.right()) {
        text.append(isVariable(symbol) ? " " + symbol : " '" + symbol + "'");
      }
      text.append('\n');
    }
    return text.toString();
  }

  private static boolean isVariable(String symbol) {
    return symbol.startsWith("X");
  }

  boolean accepts(List<String> words) {
    int n = words.size();
    boolean[][][] derives = new boolean[variables][n + 1][n + 1];
    boolean changed = true;
    while (changed) {
      changed = false;
      for (Rule rule : rules) {
        for (int i = 0; i <= n; i++) {
          boolean[] ends = ends(rule, words, i, derives);
          for (int j = i; j <= n; j++) {
            if (ends[j] && !derives[rule.left()][i][j]) {
              derives[rule.left()][i][j] = true;
              changed = true;
            }
          }
        }
      }
    }
    return derives[0][0][n];
  }

  /** Where the right side of a rule can end that begins at a word. */
  private static boolean[] ends(Rule rule, List<String> words, int from, boolean[][][] derives) {
    int n = words.size();
    boolean[] ends = new boolean[n + 1];
    ends[from] = true;
    for (String symbol : rule.right()) {
      boolean[] next = new boolean[n + 1];
      for (int i = from; i <= n; i++) {
        for (int j = i; j <= n && ends[i]; j++) {
          next[j] |=
              isVariable(symbol)
                  ? derives[Integer.parseInt(symbol.substring(1))][i][j]
                  : j == i + 1 && words.get(i).equals(symbol);
        }
      }
      ends = next;
    }
    return ends;
  }
}
