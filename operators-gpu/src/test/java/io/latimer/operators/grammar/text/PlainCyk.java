package io.latimer.operators.grammar.text;

import io.latimer.operators.grammar.index.BinaryGrammar;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The CYK algorithm as in textbooks, with the closure over unary rules in every cell. */
final class PlainCyk {
  private final BinaryGrammar grammar;
  private final Map<String, BitSet> lexicon = new HashMap<>();
  private final BitSet[] parents; // by child, over unary rules, closed

  PlainCyk(BinaryGrammar grammar) {
    this.grammar = grammar;
    int variables = grammar.variables().size();
    parents = new BitSet[variables];
    for (int v = 0; v < variables; v++) {
      parents[v] = new BitSet();
      parents[v].set(v);
    }
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int rule = 0; rule < grammar.unaryRules(); rule++) {
        int parent = grammar.unaryParent(rule);
        for (BitSet above : parents) {
          if (above.get(grammar.unaryChild(rule)) && !above.get(parent)) {
            above.set(parent);
            changed = true;
          }
        }
      }
    }
    for (int rule = 0; rule < grammar.lexicalRules(); rule++) {
      lexicon
          .computeIfAbsent(grammar.terminals().get(grammar.terminal(rule)), w -> new BitSet())
          .or(parents[grammar.lexicalParent(rule)]);
    }
  }

  boolean accepts(List<String> words) {
    int n = words.size();
    if (n == 0) {
      return grammar.derivesEmpty();
    }
    BitSet[][] chart = new BitSet[n][n + 1];
    for (int i = 0; i < n; i++) {
      chart[i][i + 1] = lexicon.getOrDefault(words.get(i), new BitSet());
    }
    for (int length = 2; length <= n; length++) {
      for (int i = 0; i + length <= n; i++) {
        chart[i][i + length] = cell(chart, i, i + length);
      }
    }
    return chart[0][n].get(grammar.start());
  }

  private BitSet cell(BitSet[][] chart, int i, int j) {
    BitSet cell = new BitSet();
    for (int rule = 0; rule < grammar.binaryRules(); rule++) {
      if (cell.get(grammar.parent(rule))) {
        continue;
      }
      for (int k = i + 1; k < j; k++) {
        if (chart[i][k].get(grammar.left(rule)) && chart[k][j].get(grammar.right(rule))) {
          cell.or(parents[grammar.parent(rule)]);
          break;
        }
      }
    }
    return cell;
  }
}
