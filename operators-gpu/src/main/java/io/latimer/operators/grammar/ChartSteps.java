package io.latimer.operators.grammar;

/**
 * Back-traces the best tree through a chart: recomputes which step gave each score. Not
 * thread-safe.
 *
 * @param chart which is filled
 */
record ChartSteps(ViterbiTables tables, ViterbiChart chart) implements TreeWriter.Steps {
  @Override
  public TreeWriter.Step step(int variable, int begin, int end) {
    float wanted = chart.score(begin, end, variable);
    float[] before = chart.scoreBefore(begin, end);
    int lowest = lowest(variable, wanted, before);
    if (end - begin == 1) {
      return new TreeWriter.Step(lowest, 0, 0, 0);
    }
    for (int rule = 0; rule < tables.parents.length; rule++) {
      if (tables.parents[rule] == lowest) {
        float most = chart.mostOfSplits(begin, end, rule);
        if (most + tables.weights[rule] == before[lowest]) {
          int split = chart.split(begin, end, rule, most);
          return new TreeWriter.Step(lowest, tables.lefts[rule], split, tables.rights[rule]);
        }
      }
    }
    throw new IllegalStateException("no rule gave the score of variable " + lowest);
  }

  /** The variable at the end of the unary path that gave a score; itself if there was none. */
  private int lowest(int variable, float wanted, float[] before) {
    if (before[variable] == wanted) {
      return variable;
    }
    for (int child = 0; child < before.length; child++) {
      int path = before[child] == ViterbiChart.NONE ? -1 : tables.path(variable, child);
      if (path >= 0 && before[child] + tables.pathWeights[path] == wanted) {
        return child;
      }
    }
    throw new IllegalStateException("no unary path gave the score of variable " + variable);
  }
}
