package io.latimer.operators.grammar.index;

import java.util.Arrays;
import java.util.BitSet;

/**
 * A grammar's rules as a recognizer applies them. Variables that derive each other by unary rules
 * are one class: they derive the same strings. Binary rules between classes that another one makes
 * redundant are dropped: A &rarr; B C is dropped if there is another rule A' &rarr; B' C' and A
 * derives A', B' derives B and C' derives C by unary rules. Whatever the first derives, the second
 * does, too, and adding the ancestors of A' adds A.
 */
final class ClassRules {
  /** Maximum pairs of a class and one of its ancestors. */
  static final int MAX_ANCESTORS = 1 << 25;

  /** Maximum 64-bit words of the masks that find redundant rules; beyond it, all rules are kept. */
  private static final long MAX_MASK_WORDS = 1L << 25;

  private final BinaryGrammar grammar;
  private final int[] classOf;
  private int classes;
  private int[] ancestorStarts;
  private int[] ancestors = new int[16];

  /** Rules left &lt;&lt; 32 | right &lt;&lt; 16 | parent, sorted. */
  private long[] rules;

  ClassRules(BinaryGrammar grammar) {
    this.grammar = grammar;
    this.classOf = new int[grammar.variables().size()];
    numberClasses();
    findAncestors();
    collectRules();
    dropSuperfluous();
  }

  /** The number of classes. */
  int classes() {
    return classes;
  }

  /**
   * The class of each variable. A class that derives another by unary rules has the higher number.
   */
  int[] classOf() {
    return classOf;
  }

  /** Start of each class's ancestors, and the end of the last. */
  int[] ancestorStarts() {
    return ancestorStarts;
  }

  /** The other classes that derive a class by unary rules, ascending for each class. */
  int[] ancestors() {
    return ancestors;
  }

  /** The rules, each left &lt;&lt; 32 | right &lt;&lt; 16 | parent, sorted. */
  long[] rules() {
    return rules;
  }

  static int left(long rule) {
    return (int) (rule >>> 32);
  }

  static int right(long rule) {
    return (int) (rule >>> 16) & 0xFFFF;
  }

  static int parent(long rule) {
    return (int) rule & 0xFFFF;
  }

  /** Strongly connected components of the unary rules (Tarjan), without recursion. */
  private void numberClasses() {
    int variables = classOf.length;
    int[] starts = new int[variables + 1];
    for (int r = 0; r < grammar.unaryRules(); r++) {
      starts[grammar.unaryParent(r) + 1]++;
    }
    for (int v = 0; v < variables; v++) {
      starts[v + 1] += starts[v];
    }
    int[] children = new int[grammar.unaryRules()];
    int[] next = Arrays.copyOf(starts, variables);
    for (int r = 0; r < grammar.unaryRules(); r++) {
      children[next[grammar.unaryParent(r)]++] = grammar.unaryChild(r);
    }
    System.arraycopy(starts, 0, next, 0, variables);
    int[] order = new int[variables]; // of the visit, from 1
    int[] low = new int[variables];
    int[] path = new int[variables];
    int[] open = new int[variables]; // visited, but not yet in a class
    Arrays.fill(classOf, -1);
    int visited = 0;
    int opened = 0;
    for (int root = 0; root < variables; root++) {
      int depth = 0;
      if (order[root] == 0) {
        path[depth++] = root;
        open[opened++] = root;
        order[root] = low[root] = ++visited;
      }
      while (depth > 0) {
        int v = path[depth - 1];
        if (next[v] < starts[v + 1]) {
          int child = children[next[v]++];
          if (order[child] == 0) {
            path[depth++] = child;
            open[opened++] = child;
            order[child] = low[child] = ++visited;
          } else if (classOf[child] < 0) {
            low[v] = Math.min(low[v], order[child]);
          }
          continue;
        }
        depth--;
        if (depth > 0) {
          low[path[depth - 1]] = Math.min(low[path[depth - 1]], low[v]);
        }
        if (low[v] == order[v]) {
          int member;
          do {
            member = open[--opened];
            classOf[member] = classes;
          } while (member != v);
          classes++;
        }
      }
    }
  }

  private void findAncestors() {
    long[] edges = new long[grammar.unaryRules()]; // child << 32 | parent
    for (int r = 0; r < edges.length; r++) {
      edges[r] = (long) classOf[grammar.unaryChild(r)] << 32 | classOf[grammar.unaryParent(r)];
    }
    Arrays.sort(edges);
    int size = 0;
    int[] from = new int[classes]; // parents come first: their ranges are known
    int[] to = new int[classes];
    BitSet found = new BitSet(classes);
    int edge = edges.length;
    for (int c = classes - 1; c >= 0; c--) {
      found.clear();
      for (; edge > 0 && edges[edge - 1] >>> 32 == c; edge--) {
        int parent = (int) edges[edge - 1];
        if (parent != c && !found.get(parent)) {
          found.set(parent);
          for (int i = from[parent]; i < to[parent]; i++) {
            found.set(ancestors[i]);
          }
        }
      }
      from[c] = size;
      for (int a = found.nextSetBit(0); a >= 0; a = found.nextSetBit(a + 1)) {
        if (size == MAX_ANCESTORS) {
          throw new GrammarFormatException(
              "the unary rules derive more than "
                  + MAX_ANCESTORS
                  + " pairs of variables from each other; the grammar is too large");
        }
        if (size == ancestors.length) {
          ancestors = Arrays.copyOf(ancestors, 2 * size);
        }
        ancestors[size++] = a;
      }
      to[c] = size;
    }
    int[] sorted = new int[size];
    ancestorStarts = new int[classes + 1];
    for (int c = 0; c < classes; c++) {
      int count = to[c] - from[c];
      System.arraycopy(ancestors, from[c], sorted, ancestorStarts[c], count);
      ancestorStarts[c + 1] = ancestorStarts[c] + count;
    }
    ancestors = sorted;
  }

  private void collectRules() {
    long[] all = new long[grammar.binaryRules()];
    for (int r = 0; r < all.length; r++) {
      all[r] =
          (long) classOf[grammar.left(r)] << 32
              | (long) classOf[grammar.right(r)] << 16
              | classOf[grammar.parent(r)];
    }
    Arrays.sort(all);
    int size = 0;
    for (int r = 0; r < all.length; r++) {
      if (r == 0 || all[r] != all[r - 1]) {
        all[size++] = all[r];
      }
    }
    rules = Arrays.copyOf(all, size);
  }

  /** Start of each right-hand side's rules, and the end of the last. */
  static int[] sideStarts(long[] rules) {
    int[] starts = new int[rules.length + 1];
    int sides = 0;
    for (int r = 0; r < rules.length; r++) {
      if (r == 0 || rules[r] >>> 16 != rules[r - 1] >>> 16) {
        starts[sides++] = r;
      }
    }
    starts[sides] = rules.length;
    return Arrays.copyOf(starts, sides + 1);
  }

  private void dropSuperfluous() {
    if (ancestors.length == 0) {
      return;
    }
    int[] starts = sideStarts(rules);
    int sides = starts.length - 1;
    int words = (classes + 63) / 64;
    if ((long) sides * words > MAX_MASK_WORDS) {
      return;
    }
    long[] derived = new long[sides * words]; // the parents of each side and their ancestors
    boolean[] dropped = new boolean[rules.length];
    for (int s = 0; s < sides; s++) {
      for (int r = starts[s]; r < starts[s + 1]; r++) {
        addAncestors(parent(rules[r]), derived, s * words);
      }
      // Parents ascend and ancestors have higher numbers: an ancestor of a parent comes later.
      for (int r = starts[s]; r < starts[s + 1]; r++) {
        dropped[r] = get(derived, s * words, parent(rules[r]));
      }
      for (int r = starts[s]; r < starts[s + 1]; r++) {
        set(derived, s * words, parent(rules[r]));
      }
    }
    dropDominated(starts, words, derived, dropped);
    int size = 0;
    for (int r = 0; r < rules.length; r++) {
      if (!dropped[r]) {
        rules[size++] = rules[r];
      }
    }
    rules = Arrays.copyOf(rules, size);
  }

  /** Drops the rules that another right-hand side, made of ancestors, makes redundant. */
  private void dropDominated(int[] starts, int words, long[] derived, boolean[] dropped) {
    int sides = starts.length - 1;
    int[] sidesOf = new int[classes + 1]; // the first side of each left class
    for (int s = 0; s < sides; s++) {
      sidesOf[left(rules[starts[s]]) + 1]++;
    }
    for (int c = 0; c < classes; c++) {
      sidesOf[c + 1] += sidesOf[c];
    }
    long[] dominated = new long[words];
    BitSet rightAncestors = new BitSet(classes);
    for (int s = 0; s < sides; s++) {
      int left = left(rules[starts[s]]);
      int right = right(rules[starts[s]]);
      rightAncestors.clear();
      rightAncestors.set(right);
      for (int i = ancestorStarts[right]; i < ancestorStarts[right + 1]; i++) {
        rightAncestors.set(ancestors[i]);
      }
      Arrays.fill(dominated, 0);
      for (int i = ancestorStarts[left] - 1; i < ancestorStarts[left + 1]; i++) {
        int above = i < ancestorStarts[left] ? left : ancestors[i];
        for (int t = sidesOf[above]; t < sidesOf[above + 1]; t++) {
          if (t != s && rightAncestors.get(right(rules[starts[t]]))) {
            for (int w = 0; w < words; w++) {
              dominated[w] |= derived[t * words + w];
            }
          }
        }
      }
      for (int r = starts[s]; r < starts[s + 1]; r++) {
        dropped[r] |= get(dominated, 0, parent(rules[r]));
      }
    }
  }

  private void addAncestors(int c, long[] mask, int at) {
    for (int i = ancestorStarts[c]; i < ancestorStarts[c + 1]; i++) {
      set(mask, at, ancestors[i]);
    }
  }

  private static void set(long[] mask, int at, int bit) {
    mask[at + (bit >> 6)] |= 1L << bit;
  }

  private static boolean get(long[] mask, int at, int bit) {
    return (mask[at + (bit >> 6)] >>> bit & 1) != 0;
  }
}
