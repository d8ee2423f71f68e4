package io.latimer.operators.grammar.index;

import java.util.Arrays;
import java.util.PriorityQueue;

/**
 * The most probable chain of unary rules from each variable to each other that it derives: Dijkstra
 * from every child upwards. Sums of logarithms in double precision, rounded once.
 */
final class UnaryPaths {
  private final BinaryGrammar grammar;
  private final int[] ruleStarts; // of each child
  private final int[] rulesByChild;
  private final int[] starts;
  private int[] parents = new int[16];
  private int[] next = new int[16];
  private float[] weights = new float[16];
  private int size;

  UnaryPaths(BinaryGrammar grammar) {
    this.grammar = grammar;
    int variables = grammar.variables().size();
    this.ruleStarts = new int[variables + 1];
    for (int r = 0; r < grammar.unaryRules(); r++) {
      ruleStarts[grammar.unaryChild(r) + 1]++;
    }
    for (int v = 0; v < variables; v++) {
      ruleStarts[v + 1] += ruleStarts[v];
    }
    this.rulesByChild = new int[grammar.unaryRules()];
    int[] at = Arrays.copyOf(ruleStarts, variables);
    for (int r = 0; r < grammar.unaryRules(); r++) {
      rulesByChild[at[grammar.unaryChild(r)]++] = r;
    }
    this.starts = new int[variables + 1];
    find();
  }

  /** Start of the paths to each child, and the end of the last. */
  int[] starts() {
    return starts;
  }

  /** The variable where each path begins, ascending for each child. */
  int[] parents() {
    return Arrays.copyOf(parents, size);
  }

  /** The variable that follows on each path; the child at its end. */
  int[] next() {
    return Arrays.copyOf(next, size);
  }

  /** The natural logarithm of each path's probability. */
  float[] weights() {
    return Arrays.copyOf(weights, size);
  }

  private record Step(double cost, int variable) implements Comparable<Step> {
    @Override
    public int compareTo(Step other) {
      int order = Double.compare(cost, other.cost);
      return order != 0 ? order : Integer.compare(variable, other.variable);
    }
  }

  private void find() {
    int variables = starts.length - 1;
    double[] cost = new double[variables];
    int[] following = new int[variables];
    Arrays.fill(cost, Double.POSITIVE_INFINITY);
    PriorityQueue<Step> queue = new PriorityQueue<>();
    int[] reached = new int[variables];
    for (int child = 0; child < variables; child++) {
      int count = 0;
      cost[child] = 0;
      reached[count++] = child;
      queue.add(new Step(0, child));
      for (Step step = queue.poll(); step != null; step = queue.poll()) {
        if (step.cost() > cost[step.variable()]) {
          continue;
        }
        for (int i = ruleStarts[step.variable()]; i < ruleStarts[step.variable() + 1]; i++) {
          int parent = grammar.unaryParent(rulesByChild[i]);
          double through = step.cost() - grammar.unaryWeight(rulesByChild[i]);
          if (through < cost[parent]) {
            if (cost[parent] == Double.POSITIVE_INFINITY) {
              reached[count++] = parent;
            }
            cost[parent] = through;
            following[parent] = step.variable();
            queue.add(new Step(through, parent));
          }
        }
      }
      Arrays.sort(reached, 0, count);
      for (int i = 0; i < count; i++) {
        if (reached[i] != child) {
          add(reached[i], following[reached[i]], (float) -cost[reached[i]]);
        }
        cost[reached[i]] = Double.POSITIVE_INFINITY;
      }
      starts[child + 1] = size;
    }
  }

  private void add(int parent, int following, float weight) {
    if (weight == Float.NEGATIVE_INFINITY) {
      throw new GrammarFormatException(
          "the probability of a path of unary rules is smaller than numbers of 32 bits can be");
    }
    if (size == ClassRules.MAX_ANCESTORS) {
      throw new GrammarFormatException(
          "the unary rules derive more than "
              + ClassRules.MAX_ANCESTORS
              + " pairs of variables from each other; the grammar is too large");
    }
    if (size == parents.length) {
      parents = Arrays.copyOf(parents, 2 * size);
      next = Arrays.copyOf(next, 2 * size);
      weights = Arrays.copyOf(weights, 2 * size);
    }
    parents[size] = parent;
    next[size] = following;
    weights[size++] = weight;
  }
}
