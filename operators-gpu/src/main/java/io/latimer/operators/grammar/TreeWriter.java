package io.latimer.operators.grammar;

import io.latimer.operators.grammar.index.GrammarIndexException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Writes the best tree in a chart: finds again which rule and which split gave each score. Not
 * thread-safe.
 */
final class TreeWriter {
  private final ViterbiTables tables;
  private final List<String> names;
  private final StringBuilder out = new StringBuilder();
  private final Deque<Node> open = new ArrayDeque<>();

  /** A variable over words that is still to be written, or brackets to close. */
  private record Node(int variable, int begin, int end, int brackets) {}

  /**
   * @param names of the variables
   */
  TreeWriter(ViterbiTables tables, List<String> names) {
    this.tables = tables;
    this.names = names;
  }

  /**
   * Writes the tree of a sentence that a variable derives.
   *
   * @param chart which is filled
   */
  String write(ViterbiChart chart, String[] words, int variable) {
    out.setLength(0);
    open.clear();
    open.push(new Node(variable, 0, words.length, 0));
    while (!open.isEmpty()) {
      Node node = open.pop();
      if (node.brackets() > 0) {
        out.append(")".repeat(node.brackets()));
      } else {
        write(chart, node, words);
      }
    }
    return out.toString();
  }

  private void write(ViterbiChart chart, Node node, String[] words) {
    float wanted = chart.score(node.begin(), node.end(), node.variable());
    float[] before = chart.scoreBefore(node.begin(), node.end());
    int variable = lowest(node.variable(), wanted, before);
    int brackets = writePath(node.variable(), variable);
    open.push(new Node(0, 0, 0, brackets));
    if (node.end() - node.begin() == 1) {
      out.append(' ').append(escaped(words[node.begin()]));
      return;
    }
    for (int rule = 0; rule < tables.parents.length; rule++) {
      if (tables.parents[rule] == variable) {
        float most = chart.mostOfSplits(node.begin(), node.end(), rule);
        if (most + tables.weights[rule] == before[variable]) {
          int split = chart.split(node.begin(), node.end(), rule, most);
          open.push(new Node(tables.rights[rule], split, node.end(), 0));
          open.push(new Node(tables.lefts[rule], node.begin(), split, 0));
          return;
        }
      }
    }
    throw new IllegalStateException("no rule gave the score of " + names.get(variable));
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
    throw new IllegalStateException("no unary path gave the score of " + names.get(variable));
  }

  /**
   * Opens a bracket for each variable on a unary path.
   *
   * @return how many
   */
  private int writePath(int from, int to) {
    int brackets = 1;
    writeName(from);
    for (int variable = from; variable != to; brackets++) {
      int path = tables.path(variable, to);
      if (path < 0 || brackets > tables.variables) {
        throw new GrammarIndexException(
            "the index is corrupt: the unary path from "
                + names.get(from)
                + " does not end at "
                + names.get(to)
                + "; compile the grammar again");
      }
      variable = tables.pathNext[path];
      writeName(variable);
    }
    return brackets;
  }

  private void writeName(int variable) {
    if (out.length() > 0) {
      out.append(' ');
    }
    out.append('(').append(escaped(names.get(variable)));
  }

  private static String escaped(String symbol) {
    return symbol.replace("(", "-LRB-").replace(")", "-RRB-");
  }
}
