package io.latimer.operators.grammar;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/**
 * A random grammar in the line format, and its charts by definition: strings are split in every way
 * and unary rules applied until nothing is new. Shares no code with the recognizers.
 *
 * @param variables V0, V1, ...; V0 is the start variable
 * @param binary parent, left, right
 * @param unary parent, child
 * @param lexical parent, number of the word w0, w1, ...
 * @param weights of the rules in this order; empty unless weighted
 */
record NaiveGrammar(
    int variables,
    List<List<Integer>> binary,
    List<List<Integer>> unary,
    List<List<Integer>> lexical,
    List<Double> weights) {

  static NaiveGrammar random(Random random, int variables, boolean weighted) {
    int terminals = 1 + random.nextInt(4);
    int more = variables * (1 + random.nextInt(4));
    List<List<Integer>> binary = new ArrayList<>();
    List<List<Integer>> unary = new ArrayList<>();
    List<List<Integer>> lexical = new ArrayList<>();
    for (int i = 0; i < more; i++) {
      binary.add(
          List.of(random.nextInt(variables), random.nextInt(variables), random.nextInt(variables)));
    }
    int unaries = random.nextInt(2 * variables + 1);
    for (int i = 0; i < unaries; i++) {
      unary.add(List.of(random.nextInt(variables), random.nextInt(variables)));
    }
    for (int i = 0; i <= variables / 2; i++) {
      lexical.add(List.of(random.nextInt(variables), random.nextInt(terminals)));
    }
    List<Double> weights = new ArrayList<>();
    for (int i = 0; weighted && i < binary.size() + unary.size() + lexical.size(); i++) {
      weights.add((1 + random.nextInt(64)) / 64.0);
    }
    return new NaiveGrammar(variables, binary, unary, lexical, weights);
  }

  /** The lines of the grammar's text. */
  String[] lines() {
    List<String> lines = new ArrayList<>();
    for (int v = 0; v < variables; v++) {
      lines.add("v V" + v);
    }
    lines.add("start V0");
    int rule = 0;
    for (List<Integer> r : binary) {
      lines.add("b V" + r.get(0) + " V" + r.get(1) + " V" + r.get(2) + weight(rule++));
    }
    for (List<Integer> r : unary) {
      lines.add("u V" + r.get(0) + " V" + r.get(1) + weight(rule++));
    }
    for (List<Integer> r : lexical) {
      lines.add("t V" + r.get(0) + " w" + r.get(1) + weight(rule++));
    }
    return lines.toArray(String[]::new);
  }

  private String weight(int rule) {
    return weights.isEmpty() ? "" : " " + weights.get(rule);
  }

  /** The variables that derive each string, by beginning and end. */
  List<List<TreeSet<Integer>>> chart(int[] words) {
    int n = words.length;
    List<List<TreeSet<Integer>>> chart = new ArrayList<>();
    for (int i = 0; i <= n; i++) {
      chart.add(new ArrayList<>());
      for (int j = 0; j <= n; j++) {
        chart.get(i).add(new TreeSet<>());
      }
    }
    for (int length = 1; length <= n; length++) {
      for (int i = 0; i + length <= n; i++) {
        int j = i + length;
        TreeSet<Integer> cell = chart.get(i).get(j);
        for (List<Integer> rule : lexical) {
          if (length == 1 && rule.get(1) == words[i]) {
            cell.add(rule.get(0));
          }
        }
        for (int k = i + 1; k < j; k++) {
          for (List<Integer> rule : binary) {
            if (chart.get(i).get(k).contains(rule.get(1))
                && chart.get(k).get(j).contains(rule.get(2))) {
              cell.add(rule.get(0));
            }
          }
        }
        boolean changed = true;
        while (changed) {
          changed = false;
          for (List<Integer> rule : unary) {
            changed |= cell.contains(rule.get(1)) && cell.add(rule.get(0));
          }
        }
      }
    }
    return chart;
  }

  /** The logarithm of the probability of the best derivation from V0, in double precision. */
  double best(int[] words) {
    int n = words.length;
    double[][][] best = new double[n + 1][n + 1][variables];
    for (int length = 1; length <= n; length++) {
      for (int i = 0; i + length <= n; i++) {
        int j = i + length;
        double[] cell = best[i][j];
        int rule = 0;
        for (List<Integer> r : binary) {
          for (int k = i + 1; k < j; k++) {
            cell[r.get(0)] =
                Math.max(
                    cell[r.get(0)],
                    weights.get(rule) * best[i][k][r.get(1)] * best[k][j][r.get(2)]);
          }
          rule++;
        }
        for (int r = 0; r < lexical.size() && length == 1; r++) {
          if (lexical.get(r).get(1) == words[i]) {
            int parent = lexical.get(r).get(0);
            cell[parent] = Math.max(cell[parent], weights.get(rule + unary.size() + r));
          }
        }
        for (int round = 0; round < variables; round++) {
          for (int r = 0; r < unary.size(); r++) {
            int parent = unary.get(r).get(0);
            cell[parent] =
                Math.max(cell[parent], weights.get(rule + r) * cell[unary.get(r).get(1)]);
          }
        }
      }
    }
    return Math.log(best[0][n][0]);
  }
}
