package io.latimer.operators.grammar;

import io.latimer.operators.grammar.index.GrammarIndexException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Writes trees in bracket notation. Not thread-safe. */
final class TreeWriter {
  /** The derivation steps of a tree. */
  @FunctionalInterface
  interface Steps {
    /**
     * The step by which a variable derives the words from begin to end - 1. Called in preorder: a
     * variable, all of its left part, all of its right part.
     */
    Step step(int variable, int begin, int end);
  }

  /**
   * A unary path, then a binary rule, or a lexical rule for a single word.
   *
   * @param lowest the variable at the end of the path
   * @param left the variable of the words before the split
   * @param split where the right part begins
   * @param right its variable
   */
  record Step(int lowest, int left, int split, int right) {}

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
   * @param steps of this tree, from its beginning
   */
  String write(Steps steps, String[] words, int variable) {
    out.setLength(0);
    open.clear();
    open.push(new Node(variable, 0, words.length, 0));
    while (!open.isEmpty()) {
      Node node = open.pop();
      if (node.brackets() > 0) {
        out.append(")".repeat(node.brackets()));
      } else {
        write(steps, node, words);
      }
    }
    return out.toString();
  }

  private void write(Steps steps, Node node, String[] words) {
    Step step = steps.step(node.variable(), node.begin(), node.end());
    int brackets = writePath(node.variable(), step.lowest());
    open.push(new Node(0, 0, 0, brackets));
    if (node.end() - node.begin() == 1) {
      out.append(' ').append(escaped(words[node.begin()]));
      return;
    }
    open.push(new Node(step.right(), step.split(), node.end(), 0));
    open.push(new Node(step.left(), node.begin(), step.split(), 0));
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
