package io.latimer.operators.grammar;

import io.latimer.operators.grammar.index.GrammarIndex;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A weighted grammar in arrays, over variables rather than classes. Immutable; shared by threads.
 */
final class ViterbiTables {
  final int variables;

  /** Parent, left and right variable of each binary rule, as read. */
  final int[] parents;

  final int[] lefts;
  final int[] rights;

  /** Natural logarithm of each binary rule's probability. */
  final float[] weights;

  /** The rules by left variable, then right variable, then number. */
  final int[] bySide;

  /** Start of each right-hand side's rules in {@link #bySide}, and the end of the last. */
  final int[] sideStarts;

  /** Start of the unary paths to each variable, and the end of the last. */
  final int[] pathStarts;

  final int[] pathParents;
  final int[] pathNext;
  final float[] pathWeights;

  /** Start of each terminal's lexical rules, and the end of the last. */
  final int[] lexiconStarts;

  final int[] lexiconVariables;
  final float[] lexiconWeights;

  ViterbiTables(GrammarIndex index) {
    variables = index.variables().size();
    int rules = index.binaryRules();
    ByteBuffer binary = index.binary();
    parents = IntStream.range(0, rules).map(r -> binary.getChar(6 * r)).toArray();
    lefts = IntStream.range(0, rules).map(r -> binary.getChar(6 * r + 2)).toArray();
    rights = IntStream.range(0, rules).map(r -> binary.getChar(6 * r + 4)).toArray();
    weights = floats(index.binaryWeights());
    bySide =
        IntStream.range(0, rules)
            .mapToLong(r -> ((long) lefts[r] << 16 | rights[r]) << 28 | r)
            .sorted()
            .mapToInt(key -> (int) key & (1 << 28) - 1)
            .toArray();
    int[] starts = new int[rules + 1];
    int sides = 0;
    for (int i = 0; i < rules; i++) {
      if (i == 0
          || lefts[bySide[i]] != lefts[bySide[i - 1]]
          || rights[bySide[i]] != rights[bySide[i - 1]]) {
        starts[sides++] = i;
      }
    }
    starts[sides] = rules;
    sideStarts = Arrays.copyOf(starts, sides + 1);
    pathStarts = new int[variables + 1];
    index.pathStarts().asIntBuffer().get(pathStarts);
    ByteBuffer parentsOfPaths = index.pathParents();
    ByteBuffer next = index.pathNext();
    int paths = pathStarts[variables];
    pathParents = IntStream.range(0, paths).map(p -> parentsOfPaths.getChar(2 * p)).toArray();
    pathNext = IntStream.range(0, paths).map(p -> next.getChar(2 * p)).toArray();
    pathWeights = floats(index.pathWeights());
    int terminals = index.terminals().size();
    int entries = index.lexicalRules();
    ByteBuffer lexical = index.lexical();
    float[] lexicalWeights = floats(index.lexicalWeights());
    lexiconStarts = new int[terminals + 1];
    lexiconVariables = new int[entries];
    lexiconWeights = new float[entries];
    for (int r = 0; r < entries; r++) {
      lexiconStarts[lexical.getInt(8 * r + 4) + 1]++;
    }
    for (int t = 0; t < terminals; t++) {
      lexiconStarts[t + 1] += lexiconStarts[t];
    }
    int[] at = Arrays.copyOf(lexiconStarts, terminals);
    for (int r = 0; r < entries; r++) {
      int place = at[lexical.getInt(8 * r + 4)]++;
      lexiconVariables[place] = lexical.getInt(8 * r);
      lexiconWeights[place] = lexicalWeights[r];
    }
  }

  /** The path from a variable to another, or -1 if there is none. */
  int path(int parent, int child) {
    int found = Arrays.binarySearch(pathParents, pathStarts[child], pathStarts[child + 1], parent);
    return Math.max(-1, found);
  }

  private static float[] floats(ByteBuffer section) {
    FloatBuffer values = section.asFloatBuffer();
    float[] copy = new float[values.remaining()];
    values.get(copy);
    return copy;
  }
}
