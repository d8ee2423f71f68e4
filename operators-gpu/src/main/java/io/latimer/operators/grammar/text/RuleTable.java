package io.latimer.operators.grammar.text;

import io.latimer.operators.grammar.index.GrammarFormatException;
import java.util.Arrays;

/**
 * Rules, numbered from 0: a variable on the left, symbols on the right, a weight. A symbol is the
 * id of a variable, or the complement (~) of the id of a terminal, which is negative.
 */
final class RuleTable {
  private static final int MAX_SYMBOLS = 1 << 30;

  private int size;
  private int[] lefts = new int[16];
  private int[] ends = new int[16];
  private double[] weights = new double[16];
  private int[] symbols = new int[32];

  int size() {
    return size;
  }

  /**
   * Adds a rule.
   *
   * @param weight the natural logarithm of its probability, 0 without one
   */
  void add(int left, double weight, int... right) {
    int from = end();
    if (right.length > MAX_SYMBOLS - from) {
      throw new GrammarFormatException(
          "the rules have more than " + MAX_SYMBOLS + " symbols; make the grammar smaller");
    }
    if (size == lefts.length) {
      lefts = Arrays.copyOf(lefts, 2 * size);
      ends = Arrays.copyOf(ends, 2 * size);
      weights = Arrays.copyOf(weights, 2 * size);
    }
    if (from + right.length > symbols.length) {
      symbols = Arrays.copyOf(symbols, Math.max(from + right.length, 2 * symbols.length));
    }
    System.arraycopy(right, 0, symbols, from, right.length);
    lefts[size] = left;
    weights[size] = weight;
    ends[size++] = from + right.length;
  }

  int left(int rule) {
    return lefts[rule];
  }

  /** The number of symbols on the right. */
  int length(int rule) {
    return ends[rule] - from(rule);
  }

  int symbol(int rule, int place) {
    return symbols[from(rule) + place];
  }

  double weight(int rule) {
    return weights[rule];
  }

  /** The symbols on the right; a copy. */
  int[] right(int rule) {
    return Arrays.copyOfRange(symbols, from(rule), ends[rule]);
  }

  /** For each variable the rules that have it on the left, in their order. */
  int[][] byLeft(int variables) {
    int[] counts = new int[variables];
    for (int rule = 0; rule < size; rule++) {
      counts[lefts[rule]]++;
    }
    int[][] found = arrays(counts);
    for (int rule = size - 1; rule >= 0; rule--) {
      found[lefts[rule]][--counts[lefts[rule]]] = rule;
    }
    return found;
  }

  /** For each variable the rules that have it on the right, once per occurrence. */
  int[][] byRight(int variables) {
    int[] counts = new int[variables];
    for (int at = 0; at < end(); at++) {
      if (symbols[at] >= 0) {
        counts[symbols[at]]++;
      }
    }
    int[][] found = arrays(counts);
    for (int rule = size - 1; rule >= 0; rule--) {
      for (int at = ends[rule] - 1; at >= from(rule); at--) {
        if (symbols[at] >= 0) {
          found[symbols[at]][--counts[symbols[at]]] = rule;
        }
      }
    }
    return found;
  }

  private static int[][] arrays(int[] lengths) {
    int[][] arrays = new int[lengths.length][];
    Arrays.setAll(arrays, i -> new int[lengths[i]]);
    return arrays;
  }

  private int end() {
    return size == 0 ? 0 : ends[size - 1];
  }

  private int from(int rule) {
    return rule == 0 ? 0 : ends[rule - 1];
  }
}
