package io.latimer.operators.grammar;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Arena;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.grammar.index.GrammarIndex;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;

/**
 * A grammar on a GPU, as the kernels take it: distinct right-hand sides, for each class the numbers
 * of those that it derives, its ancestors, and the classes of each terminal with their ancestors.
 * One extra terminal, after those of the grammar, is derived by every class that derives any
 * terminal. Immutable; shared by all recognizers of a process.
 *
 * <p>It takes 4 bytes per right-hand side, rule, pair of a class and an ancestor, and pair of a
 * terminal and a class, and 8 per class. A weighted one takes 20 more per binary rule and
 * right-hand side, 8 per unary path, and 16 per lexical rule.
 */
public final class GpuGrammar implements AutoCloseable {
  /** Classes of all words together, with their ancestors; 1 GiB. */
  private static final int MOST_WORD_CLASSES = 1 << 28;

  private static final String OWNER = "grammar";

  private final GrammarIndex index;
  private final Gpu gpu;
  private final Arena arena;
  private final GpuRuleWeights weights; // null unless the grammar has probabilities
  private final long[] addresses;
  private final long[] fields;

  /**
   * Copies a grammar to a device.
   *
   * @param index must stay open as long as this
   * @param device a GPU
   * @throws io.latimer.operators.device.DeviceMemoryException if it does not fit
   */
  public GpuGrammar(GrammarIndex index, Device device) {
    this.index = index;
    this.gpu = Gpu.open(device);
    int[][] ancestors = ancestors(index);
    int[] pairs = pairs(index);
    Lists rules = rules(index);
    Lists above = Lists.of(ancestors);
    Lists words = words(index, ancestors);
    GpuArrays arrays = new GpuArrays();
    for (int[] array :
        new int[][] {
          pairs, rules.starts, rules.items, above.starts, above.items, words.starts, words.items
        }) {
      arrays.add(array);
    }
    this.weights = index.weighted() ? new GpuRuleWeights(index, arrays) : null;
    this.addresses = new long[arrays.size()];
    this.arena = arrays.upload(gpu, OWNER, addresses);
    this.fields =
        new long[] {
          index.classes(),
          index.classOf().getChar(2 * index.start()),
          pairs.length,
          addresses[0],
          rules.items.length,
          addresses[1],
          addresses[2],
          above.items.length,
          addresses[3],
          addresses[4],
          words.starts.length - 1,
          addresses[5],
          addresses[6]
        };
  }

  /** Lists numbered from 0, concatenated. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Lists(int[] starts, int[] items) {
    static Lists of(int[][] lists) {
      int[] starts = new int[lists.length + 1];
      for (int i = 0; i < lists.length; i++) {
        starts[i + 1] = Math.addExact(starts[i], lists[i].length);
      }
      int[] items = new int[starts[lists.length]];
      for (int i = 0; i < lists.length; i++) {
        System.arraycopy(lists[i], 0, items, starts[i], lists[i].length);
      }
      return new Lists(starts, items);
    }
  }

  /** The classes that derive each class, itself among them. */
  private static int[][] ancestors(GrammarIndex index) {
    ByteBuffer starts = index.ancestorStarts();
    ByteBuffer ancestors = index.ancestors();
    int[][] lists = new int[index.classes()][];
    for (int c = 0; c < lists.length; c++) {
      int from = starts.getInt(4 * c);
      lists[c] = new int[starts.getInt(4 * c + 4) - from + 1];
      lists[c][0] = c;
      for (int i = 1; i < lists[c].length; i++) {
        lists[c][i] = ancestors.getChar(2 * (from + i - 1));
      }
    }
    return lists;
  }

  private static int[] pairs(GrammarIndex index) {
    ByteBuffer starts = index.sideStarts();
    ByteBuffer rules = index.byLeft();
    int[] pairs = new int[index.sides()];
    for (int side = 0; side < pairs.length; side++) {
      int rule = 6 * starts.getInt(4 * side);
      pairs[side] = rules.getChar(rule + 2) | rules.getChar(rule + 4) << 16;
    }
    return pairs;
  }

  /** Of each class, the right-hand sides of its rules. */
  private static Lists rules(GrammarIndex index) {
    ByteBuffer starts = index.sideStarts();
    ByteBuffer rules = index.byLeft();
    int[] begins = new int[index.classes() + 1];
    for (int rule = 0; rule < index.rules(); rule++) {
      begins[rules.getChar(6 * rule) + 1]++;
    }
    for (int c = 0; c < index.classes(); c++) {
      begins[c + 1] += begins[c];
    }
    int[] next = Arrays.copyOf(begins, index.classes());
    int[] items = new int[index.rules()];
    for (int side = 0; side < index.sides(); side++) {
      for (int rule = starts.getInt(4 * side); rule < starts.getInt(4 * side + 4); rule++) {
        items[next[rules.getChar(6 * rule)]++] = side;
      }
    }
    return new Lists(begins, items);
  }

  private static Lists words(GrammarIndex index, int[][] ancestors) {
    ByteBuffer starts = index.entryStarts();
    ByteBuffer entries = index.entries();
    int[][] lists = new int[index.terminals().size() + 1][];
    BitSet any = new BitSet();
    BitSet classes = new BitSet();
    long all = 0;
    for (int word = 0; word < lists.length - 1; word++) {
      classes.clear();
      for (int i = starts.getInt(4 * word); i < starts.getInt(4 * word + 4); i++) {
        for (int ancestor : ancestors[entries.getChar(2 * i)]) {
          classes.set(ancestor);
        }
      }
      all += classes.cardinality();
      if (all > MOST_WORD_CLASSES) {
        throw new OperatorException(
            "the words of the grammar are derived by more than "
                + MOST_WORD_CLASSES
                + " symbols in all, too many for a GPU; check it on the CPU");
      }
      any.or(classes);
      lists[word] = classes.stream().toArray();
    }
    lists[lists.length - 1] = any.stream().toArray();
    return Lists.of(lists);
  }

  /** The grammar. */
  public GrammarIndex index() {
    return index;
  }

  Gpu gpu() {
    return gpu;
  }

  /** The fields of lat_grammar_index. */
  long[] fields() {
    return fields;
  }

  /** The fields of lat_grammar_weights; of weighted grammars only. */
  long[] weightFields() {
    return weights.fields(addresses);
  }

  /** The weighted grammar on the host; of weighted grammars only. */
  ViterbiTables tables() {
    return weights.tables();
  }

  /** Bytes allocated on the device. */
  public long bytes() {
    return arena.capacity();
  }

  /** Frees its memory. Closing twice is safe. */
  @Override
  public void close() {
    arena.close();
  }
}
