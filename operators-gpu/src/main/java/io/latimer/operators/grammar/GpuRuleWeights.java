package io.latimer.operators.grammar;

import io.latimer.operators.grammar.index.GrammarIndex;
import java.util.Arrays;
import java.util.TreeMap;

/**
 * The arrays of lat_grammar_weights: binary rules by right-hand side and again by left side, unary
 * paths by their beginning, and lexical rules by terminal, of which the last stands for any.
 */
final class GpuRuleWeights {
  private final ViterbiTables tables;
  private final int start;
  private final int first;
  private final int sides;
  private final int terminals;

  GpuRuleWeights(GrammarIndex index, GpuArrays arrays) {
    this.tables = new ViterbiTables(index);
    this.start = index.start();
    this.sides = tables.sideStarts.length - 1;
    this.terminals = index.terminals().size() + 1;
    this.first = addSides(arrays);
    addRules(arrays);
    addPaths(arrays);
    addLexicon(arrays);
  }

  private int addSides(GpuArrays arrays) {
    int[] pairs = new int[sides];
    for (int side = 0; side < sides; side++) {
      pairs[side] = pair(tables.bySide[tables.sideStarts[side]]);
    }
    int added = arrays.add(pairs);
    arrays.add(tables.sideStarts);
    int[] parents = new int[tables.bySide.length];
    float[] weights = new float[tables.bySide.length];
    for (int i = 0; i < parents.length; i++) {
      parents[i] = tables.parents[tables.bySide[i]];
      weights[i] = tables.weights[tables.bySide[i]];
    }
    arrays.add(parents);
    arrays.add(weights);
    return added;
  }

  private int pair(int rule) {
    return tables.lefts[rule] | tables.rights[rule] << 16;
  }

  private void addRules(GpuArrays arrays) {
    int[] starts = starts(tables.parents);
    int[] next = Arrays.copyOf(starts, tables.variables);
    int[] pairs = new int[tables.parents.length];
    float[] weights = new float[tables.parents.length];
    for (int rule = 0; rule < pairs.length; rule++) {
      int place = next[tables.parents[rule]]++;
      pairs[place] = pair(rule);
      weights[place] = tables.weights[rule];
    }
    arrays.add(starts);
    arrays.add(pairs);
    arrays.add(weights);
  }

  private void addPaths(GpuArrays arrays) {
    int[] starts = starts(tables.pathParents);
    int[] next = Arrays.copyOf(starts, tables.variables);
    int[] ends = new int[tables.pathParents.length];
    float[] weights = new float[tables.pathParents.length];
    for (int child = 0; child < tables.variables; child++) {
      for (int p = tables.pathStarts[child]; p < tables.pathStarts[child + 1]; p++) {
        int place = next[tables.pathParents[p]]++;
        ends[place] = child;
        weights[place] = tables.pathWeights[p];
      }
    }
    arrays.add(starts);
    arrays.add(ends);
    arrays.add(weights);
  }

  private void addLexicon(GpuArrays arrays) {
    int[] starts = new int[terminals + 1];
    int[] variables = new int[2 * tables.lexiconVariables.length];
    float[] weights = new float[variables.length];
    int size = 0;
    TreeMap<Integer, Float> of = new TreeMap<>();
    for (int terminal = 0; terminal < terminals; terminal++) {
      boolean any = terminal == terminals - 1;
      int from = any ? 0 : tables.lexiconStarts[terminal];
      int to = any ? tables.lexiconVariables.length : tables.lexiconStarts[terminal + 1];
      of.clear();
      for (int e = from; e < to; e++) {
        of.merge(tables.lexiconVariables[e], any ? 0 : tables.lexiconWeights[e], Math::max);
      }
      for (var entry : of.entrySet()) {
        variables[size] = entry.getKey();
        weights[size++] = entry.getValue();
      }
      starts[terminal + 1] = size;
    }
    arrays.add(starts);
    arrays.add(Arrays.copyOf(variables, size));
    arrays.add(Arrays.copyOf(weights, size));
  }

  /** Start of each variable's part in a list sorted by variable. */
  private int[] starts(int[] variables) {
    int[] starts = new int[tables.variables + 1];
    for (int variable : variables) {
      starts[variable + 1]++;
    }
    for (int v = 0; v < tables.variables; v++) {
      starts[v + 1] += starts[v];
    }
    return starts;
  }

  /** The grammar on the host, which gives the unary paths of a tree. */
  ViterbiTables tables() {
    return tables;
  }

  /** The fields of lat_grammar_weights. */
  long[] fields(long[] addresses) {
    return new long[] {
      tables.variables,
      start,
      sides,
      addresses[first],
      addresses[first + 1],
      addresses[first + 2],
      addresses[first + 3],
      tables.parents.length,
      addresses[first + 4],
      addresses[first + 5],
      addresses[first + 6],
      addresses[first + 7],
      addresses[first + 8],
      addresses[first + 9],
      terminals,
      addresses[first + 10],
      addresses[first + 11],
      addresses[first + 12]
    };
  }
}
