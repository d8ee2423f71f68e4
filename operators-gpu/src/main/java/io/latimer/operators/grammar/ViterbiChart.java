package io.latimer.operators.grammar;

import java.util.Arrays;

/**
 * The most probable derivations of one sentence at a time, in float32, in an order that every
 * device can keep, so that all agree bit for bit:
 *
 * <ul>
 *   <li>the score of a rule A &rarr; B C is (B's score + C's score) + its weight, rounded after
 *       each addition; the score of A in a cell before unary rules is the maximum over all splits
 *       and rules, or of the weights of its lexical rules for a word;
 *   <li>then at most one unary path follows: the score before it + the weight of the path;
 *   <li>of equal scores, no path goes before a path, then the smallest variable at the end of the
 *       path, the smallest number of the rule, the smallest split.
 * </ul>
 *
 * <p>Scores are stored twice, by the beginning and by the end of their strings, so that all splits
 * of a cell are neighbours. Not thread-safe.
 */
final class ViterbiChart {
  static final float NONE = Float.NEGATIVE_INFINITY;

  private final ViterbiTables tables;
  private final int variables;
  private int words;
  private int[] terminals = {};

  /** The score of variable v over i..k-1 at [beginning(i) + v * (words - i) + k - i - 1]. */
  private float[] byBeginning = {};

  /** The score of variable v over k..j-1 at [ending(j) + v * j + k]. */
  private float[] byEnd = {};

  private final float[] before;
  private final float[] after;

  ViterbiChart(ViterbiTables tables) {
    this.tables = tables;
    this.variables = tables.variables;
    this.before = new float[variables];
    this.after = new float[variables];
  }

  /** Bytes of the chart of a sentence. */
  static long bytes(int variables, int words) {
    return 4L * variables * words * (words + 1);
  }

  /**
   * Fills the chart.
   *
   * @param sentence terminals, one or more; their number stands for any
   */
  void fill(int[] sentence) {
    terminals = sentence;
    words = sentence.length;
    int size = variables * (words * (words + 1) / 2);
    if (byBeginning.length < size) {
      byBeginning = new float[size];
      byEnd = new float[size];
    }
    Arrays.fill(byBeginning, 0, size, NONE);
    Arrays.fill(byEnd, 0, size, NONE);
    for (int end = 1; end <= words; end++) {
      for (int begin = end - 1; begin >= 0; begin--) {
        scoreBefore(begin, end);
        scoreAfter();
        for (int v = 0; v < variables; v++) {
          if (after[v] != NONE) {
            byBeginning[beginning(begin) + v * (words - begin) + end - begin - 1] = after[v];
            byEnd[ending(end) + v * end + begin] = after[v];
          }
        }
      }
    }
  }

  private int beginning(int begin) {
    return variables * (begin * words - begin * (begin - 1) / 2);
  }

  private int ending(int end) {
    return variables * (end * (end - 1) / 2);
  }

  /** The score of a variable over the words from begin to end - 1. */
  float score(int begin, int end, int variable) {
    return byEnd[ending(end) + variable * end + begin];
  }

  /** Scores of a cell before unary rules, in the shared array {@link #before}. */
  float[] scoreBefore(int begin, int end) {
    Arrays.fill(before, NONE);
    if (end - begin == 1) {
      scoreWord(terminals[begin]);
      return before;
    }
    int[] starts = tables.sideStarts;
    for (int s = 0; s + 1 < starts.length; s++) {
      float most = mostOfSplits(begin, end, tables.bySide[starts[s]]);
      if (most != NONE) {
        for (int i = starts[s]; i < starts[s + 1]; i++) {
          int rule = tables.bySide[i];
          float score = most + tables.weights[rule];
          if (score > before[tables.parents[rule]]) {
            before[tables.parents[rule]] = score;
          }
        }
      }
    }
    return before;
  }

  private void scoreWord(int terminal) {
    if (terminal == tables.lexiconStarts.length - 1) {
      for (int variable : tables.lexiconVariables) {
        before[variable] = 0;
      }
      return;
    }
    for (int e = tables.lexiconStarts[terminal]; e < tables.lexiconStarts[terminal + 1]; e++) {
      int variable = tables.lexiconVariables[e];
      before[variable] = Math.max(before[variable], tables.lexiconWeights[e]);
    }
  }

  private void scoreAfter() {
    System.arraycopy(before, 0, after, 0, variables);
    for (int child = 0; child < variables; child++) {
      if (before[child] != NONE) {
        for (int p = tables.pathStarts[child]; p < tables.pathStarts[child + 1]; p++) {
          float score = before[child] + tables.pathWeights[p];
          if (score > after[tables.pathParents[p]]) {
            after[tables.pathParents[p]] = score;
          }
        }
      }
    }
  }

  /** The maximum over the splits of a rule's right-hand side, without the rule's weight. */
  float mostOfSplits(int begin, int end, int rule) {
    int left = beginning(begin) + tables.lefts[rule] * (words - begin);
    int right = ending(end) + tables.rights[rule] * end + begin + 1;
    float most = NONE;
    for (int k = 0; k < end - begin - 1; k++) {
      float score = byBeginning[left + k] + byEnd[right + k];
      if (score > most) {
        most = score;
      }
    }
    return most;
  }

  /** The first split that has the wanted score. */
  int split(int begin, int end, int rule, float wanted) {
    int left = beginning(begin) + tables.lefts[rule] * (words - begin);
    int right = ending(end) + tables.rights[rule] * end + begin + 1;
    int k = 0;
    while (byBeginning[left + k] + byEnd[right + k] != wanted) {
      k++;
    }
    return begin + 1 + k;
  }
}
