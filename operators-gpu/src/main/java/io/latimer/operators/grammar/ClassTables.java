package io.latimer.operators.grammar;

import io.latimer.operators.grammar.index.GrammarIndex;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The tables of a {@link GrammarIndex} as the recognizer on the CPU reads them. Right-hand sides
 * with the same parents share the set of them. Immutable; shared by threads.
 */
final class ClassTables {
  /** Number of classes. */
  final int classes;

  /** Words of a mask of classes. */
  final int words;

  /** The class of each variable. */
  final int[] classOf;

  /** Start of each left class's right-hand sides, and the end of the last. */
  final int[] sideStarts;

  /** The right class of each right-hand side. */
  final int[] sideRight;

  /** The set of parents of each right-hand side. */
  final int[] sideSet;

  /** Start of each set's members, and the end of the last. */
  final int[] setStarts;

  final int[] setMembers;

  /** The classes that are parents, each once. */
  final char[] parents;

  /** The number of parents before the end of each word of a mask. */
  final int[] parentEnds;

  /** Start of each class's ancestors, and the end of the last. */
  private final int[] ancestorStarts;

  private final char[] ancestors;

  /** Start of each terminal's classes; the last terminal stands for any. */
  private final int[] entryStarts;

  private final char[] entries;

  ClassTables(GrammarIndex index) {
    classes = index.classes();
    words = (classes + 63) / 64;
    classOf = numbers(index.classOf());
    ancestorStarts = ints(index.ancestorStarts());
    ancestors = new char[ancestorStarts[classes]];
    index.ancestors().asCharBuffer().get(ancestors);
    ByteBuffer rules = index.byLeft();
    int[] starts = ints(index.sideStarts());
    int sides = index.sides();
    sideStarts = new int[classes + 1];
    sideRight = new int[sides];
    sideSet = new int[sides];
    Map<IntBuffer, Integer> sets = new HashMap<>();
    int[] members = new int[index.rules()];
    int[] ends = new int[sides + 1];
    for (int s = 0; s < sides; s++) {
      int left = rules.getChar(6 * starts[s] + 2);
      sideStarts[left + 1]++;
      sideRight[s] = rules.getChar(6 * starts[s] + 4);
      int[] set = new int[starts[s + 1] - starts[s]];
      for (int i = 0; i < set.length; i++) {
        set[i] = rules.getChar(6 * (starts[s] + i));
      }
      int next = sets.size();
      Integer known = sets.putIfAbsent(IntBuffer.wrap(set), next);
      sideSet[s] = known == null ? next : known;
      if (known == null) {
        System.arraycopy(set, 0, members, ends[next], set.length);
        ends[next + 1] = ends[next] + set.length;
      }
    }
    for (int c = 0; c < classes; c++) {
      sideStarts[c + 1] += sideStarts[c];
    }
    setStarts = Arrays.copyOf(ends, sets.size() + 1);
    setMembers = Arrays.copyOf(members, setStarts[sets.size()]);
    parents = distinct(setMembers, classes);
    parentEnds = new int[words];
    for (int parent : parents) {
      for (int w = parent >> 6; w < words; w++) {
        parentEnds[w]++;
      }
    }
    int[] lexicon = ints(index.entryStarts());
    char[] ofTerminals = new char[lexicon[lexicon.length - 1]];
    index.entries().asCharBuffer().get(ofTerminals);
    int[] entered = new int[ofTerminals.length];
    Arrays.setAll(entered, e -> ofTerminals[e]);
    char[] any = distinct(entered, classes);
    entries = Arrays.copyOf(ofTerminals, ofTerminals.length + any.length);
    System.arraycopy(any, 0, entries, ofTerminals.length, any.length);
    entryStarts = Arrays.copyOf(lexicon, lexicon.length + 1);
    entryStarts[lexicon.length] = entries.length;
  }

  /** Mask of the ancestors of some classes that are not among these. */
  long[] ancestors(long[] found) {
    long[] mask = new long[words];
    for (int w = 0; w < words; w++) {
      for (long left = found[w]; left != 0; left &= left - 1) {
        int c = (w << 6) + Long.numberOfTrailingZeros(left);
        for (int a = ancestorStarts[c]; a < ancestorStarts[c + 1]; a++) {
          mask[ancestors[a] >> 6] |= 1L << ancestors[a];
        }
      }
    }
    for (int w = 0; w < words; w++) {
      mask[w] &= ~found[w];
    }
    return mask;
  }

  /** The number of distinct sets of parents. */
  int sets() {
    return setStarts.length - 1;
  }

  /** Start of a terminal's classes in {@link #entry}; the number of terminals stands for any. */
  int firstEntry(int terminal) {
    return entryStarts[terminal];
  }

  /** A class with a rule for a terminal. */
  int entry(int number) {
    return entries[number];
  }

  private static char[] distinct(int[] numbers, int limit) {
    boolean[] found = new boolean[limit];
    int count = 0;
    for (int number : numbers) {
      count += found[number] ? 0 : 1;
      found[number] = true;
    }
    char[] distinct = new char[count];
    for (int c = 0, at = 0; c < limit; c++) {
      if (found[c]) {
        distinct[at++] = (char) c;
      }
    }
    return distinct;
  }

  private static int[] ints(ByteBuffer section) {
    int[] values = new int[section.remaining() / 4];
    section.asIntBuffer().get(values);
    return values;
  }

  private static int[] numbers(ByteBuffer section) {
    int[] values = new int[section.remaining() / 2];
    for (int i = 0; i < values.length; i++) {
      values[i] = section.getChar(2 * i);
    }
    return values;
  }
}
