package io.latimer.operators.lm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Writes the layout of B-trees of what a builder has gathered, level by level, and uses the
 * builder's table up: the values in it give way to the places of the n-grams in their level.
 */
final class BTreeWriter {
  /** The upper half of a value that has given way: no back-off, for it is not a number. */
  private static final long PLACED = 0xFFFFFFFFL;

  private static final long MAX_ADDRESS = 0xFFFFFFFFL;
  private static final int PIECE = 1 << 14; // 32-bit words

  private final LmBuilder builder;
  private final NgramTable table;
  private final int order;
  private final BTreeShape shape;

  /** Of the level that is next: (place of the suffix, first word), sorted. */
  private long[] keys;

  /** How many of them each n-gram of the level before has. */
  private int[] counts;

  /** The nodes of the level before, in their order. */
  private int[] parents;

  private ByteBuffer piece;
  private Consumer<ByteBuffer> out;

  BTreeWriter(LmBuilder builder, int keysPerNode) {
    this.builder = builder;
    this.table = builder.table();
    this.order = builder.order();
    this.shape = new BTreeShape(keysPerNode);
    this.parents = new int[builder.words()];
    Arrays.setAll(parents, id -> id);
    gather(2);
  }

  private void gather(int level) {
    if (level > order) {
      keys = new long[0];
      counts = new int[parents.length];
      return;
    }
    keys = new long[Math.toIntExact(builder.stored()[level - 1])];
    int found = 0;
    for (int slot = 0; slot < table.slots(); slot++) {
      if (table.isTaken(slot) && !isPlaced(table.value(builder.words() + slot))) {
        int place = place(table.parent(slot));
        if (place >= 0) {
          keys[found++] = (long) place << 32 | table.word(slot);
        }
      }
    }
    Arrays.sort(keys);
    counts = new int[parents.length];
    for (long key : keys) {
      counts[(int) (key >>> 32)]++;
    }
  }

  private static boolean isPlaced(long value) {
    return value >>> 32 == PLACED;
  }

  private int place(int node) {
    if (node < builder.words()) {
      return node;
    }
    long value = table.value(node);
    return isPlaced(value) ? (int) value : -1;
  }

  private int payloadWords(int level) {
    return level == order ? 1 : 3;
  }

  /** Writes {prob, back-off, address, 0} of every word, by id. */
  void writeRoot(Consumer<ByteBuffer> to) {
    begin(to);
    long at = 0;
    for (int id = 0; id < builder.words(); id++) {
      long value = builder.unigram(id);
      put((int) value);
      put((int) (value >>> 32));
      put(counts[id] == 0 ? 0 : address(at + 1));
      put(0);
      at += shape.words(counts[id], payloadWords(2));
    }
    end();
  }

  /** Writes all nodes. */
  void writeNodes(Consumer<ByteBuffer> to) {
    begin(to);
    for (int level = 2; level <= order; level++) {
      writeLevel(level);
    }
    end();
  }

  private void writeLevel(int level) {
    int payload = payloadWords(level);
    int[] trees = counts;
    int[] words = new int[keys.length];
    long[] values = new long[keys.length];
    int[] nodes = new int[keys.length];
    place(trees, words, values, nodes);
    parents = nodes;
    gather(level + 1);
    long tree = 0; // where the tree begins, counted from the level's beginning
    long next = 0; // where the next level's next tree begins, counted from there, too
    for (int count : trees) {
      next += shape.words(count, payload);
    }
    int ngram = 0;
    for (int count : trees) {
      shape.lay(count, payload);
      for (int node = 0; node < shape.nodes(); node++) {
        int own = shape.keys(node);
        long at = tree + shape.at(node);
        put(own | (shape.children(node) == 0 ? 0 : LmSections.INNER));
        for (int i = 0; i < own; i++) {
          put(words[ngram + i]);
        }
        for (int i = 0; i < shape.children(node); i++) {
          put(address(tree + shape.at(shape.child(node, i)) - at));
        }
        for (int i = 0; i < own; i++, ngram++) {
          put((int) values[ngram]);
          if (level < order) {
            put((int) (values[ngram] >>> 32));
            put(counts[ngram] == 0 ? 0 : address(next - at));
            next += shape.words(counts[ngram], payloadWords(level + 1));
          }
        }
      }
      tree += shape.words(count, payload);
    }
  }

  /** Puts the n-grams of a level in the order in which they will lie. */
  private void place(int[] trees, int[] words, long[] values, int[] nodes) {
    int from = 0;
    int next = 0;
    for (int parent = 0; parent < trees.length; parent++) {
      shape.lay(trees[parent], 0);
      for (int node = 0; node < shape.nodes(); node++) {
        for (int i = 0; i < shape.keys(node); i++, next++) {
          words[next] = (int) keys[from + shape.place(node, i)];
          nodes[next] = table.find(parents[parent], words[next]);
          values[next] = table.value(nodes[next]);
        }
      }
      from += trees[parent];
    }
    for (int i = 0; i < nodes.length; i++) {
      table.setValue(nodes[i], PLACED << 32 | i);
    }
  }

  private static int address(long words) {
    if (words > MAX_ADDRESS) {
      throw new LmFormatException(
          "the model is too large for B-trees, whose addresses reach 16 GiB; use the layout hash");
    }
    return (int) words;
  }

  private void begin(Consumer<ByteBuffer> to) {
    out = to;
    piece = ByteBuffer.allocate(PIECE * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
  }

  private void put(int word) {
    if (!piece.hasRemaining()) {
      out.accept(piece.flip());
      piece.clear();
    }
    piece.putInt(word);
  }

  private void end() {
    out.accept(piece.flip());
  }
}
