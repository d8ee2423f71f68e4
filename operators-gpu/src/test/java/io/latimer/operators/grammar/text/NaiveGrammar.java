package io.latimer.operators.grammar.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A random grammar and what it derives, found from its rules as they are: the least set of
 * (variable, part of the sentence) that the rules allow. Variables are numbers; terminals are small
 * letters.
 */
final class NaiveGrammar {
  /** A rule; symbols such as X1 are variables. The probability counts only if all are printed. */
  record Rule(int left, List<String> right, double probability) {}

  private static final double ROUNDING = 1e-9;

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
        rules.add(new Rule(left, right, (1 + random.nextInt(8)) / 8.0));
      }
    }
    return new NaiveGrammar(variables, rules);
  }

  /** The rules in NLTK's format; the first is of X0, the start. */
  String nltk() {
    return text(false);
  }

  /** The same with probabilities. */
  String weightedNltk() {
    return text(true);
  }

  private String text(boolean weighted) {
    StringBuilder text = new StringBuilder();
    for (Rule rule : rules) {
      text.append('X').append(rule.left()).append(" ->");
      for (String symbol : rule.right()) {
        text.append(isVariable(symbol) ? " " + symbol : " '" + symbol + "'");
      }
      text.append(weighted ? " [" + rule.probability() + "]\n" : "\n");
    }
    return text.toString();
  }

  private static boolean isVariable(String symbol) {
    return symbol.startsWith("X");
  }

  boolean accepts(List<String> words) {
    return best(words) > Double.NEGATIVE_INFINITY;
  }

  /** The natural logarithm of the best derivation's probability; negative infinity for none. */
  double best(List<String> words) {
    int n = words.size();
    double[][][] best = new double[variables][n + 1][n + 1];
    for (double[][] cells : best) {
      for (double[] cell : cells) {
        Arrays.fill(cell, Double.NEGATIVE_INFINITY);
      }
    }
    boolean changed = true;
    while (changed) {
      changed = false;
      for (Rule rule : rules) {
        for (int i = 0; i <= n; i++) {
          double[] ends = ends(rule, words, i, best);
          for (int j = i; j <= n; j++) {
            if (ends[j] > best[rule.left()][i][j] + ROUNDING) {
              best[rule.left()][i][j] = ends[j];
              changed = true;
            }
          }
        }
      }
    }
    return best[0][0][n];
  }

  /** The best derivations by a rule of the words from one on, by where they end. */
  private static double[] ends(Rule rule, List<String> words, int from, double[][][] best) {
    int n = words.size();
    double[] ends = new double[n + 1];
    Arrays.fill(ends, Double.NEGATIVE_INFINITY);
    ends[from] = Math.log(rule.probability());
    for (String symbol : rule.right()) {
      double[] next = new double[n + 1];
      Arrays.fill(next, Double.NEGATIVE_INFINITY);
      for (int i = from; i <= n; i++) {
        for (int j = i; j <= n; j++) {
          double step;
          if (isVariable(symbol)) {
            step = best[Integer.parseInt(symbol.substring(1))][i][j];
          } else {
            boolean read = j == i + 1 && words.get(i).equals(symbol);
            step = read ? 0 : Double.NEGATIVE_INFINITY;
          }
          next[j] = Math.max(next[j], ends[i] + step);
        }
      }
      ends = next;
    }
    return ends;
  }
}
