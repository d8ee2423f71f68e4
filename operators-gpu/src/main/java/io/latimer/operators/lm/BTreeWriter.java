package io.latimer.operators.lm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Writes the layout of B-trees of what a builder has gathered, level by level, and uses the
 * builder's table up: the keys in it give way to the places of the n-grams in their level. Memory
 * is taken once, for the largest level.
 */
final class BTreeWriter {
  private static final long MAX_ADDRESS = 0xFFFFFFFFL;
  private static final int PIECE = 1 << 14; // 32-bit words

  private final LmBuilder builder;
  private final NgramTable table;
  private final int order;
  private final BTreeShape shape;

  /** Of one level: (place of the suffix, first word), sorted. */
  private final long[] keys;

  /** Of the same level or the one before: first words, in the order in which they will lie. */
  private final int[] words;

  /** The nodes of a level, in the order in which they will lie, and those of the level before. */
  private int[] nodes;

  private int[] parents;
  private int parentCount;

  /** How many n-grams of a level end in each of the level before; and those of the next level. */
  private int[] trees;

  private int[] nextTrees;

  private ByteBuffer piece;
  private Consumer<ByteBuffer> out;

  BTreeWriter(LmBuilder builder, int keysPerNode) {
    this.builder = builder;
    this.table = builder.table();
    this.order = builder.order();
    this.shape = new BTreeShape(keysPerNode);
    int most = builder.words(); // n-grams of a level that another follows
    for (int level = 2; level < order; level++) {
      most = Math.max(most, size(level));
    }
    this.keys = new long[order == 1 ? 0 : Math.max(most, size(order))];
    this.words = new int[order == 1 ? 0 : most];
    this.nodes = new int[most];
    this.parents = new int[most];
    this.trees = new int[most];
    this.nextTrees = new int[most];
    this.parentCount = builder.words();
    Arrays.setAll(parents, id -> id);
    gather(2, trees, parentCount);
  }

  private int size(int level) {
    return Math.toIntExact(builder.stored()[level - 1]);
  }

  /** Finds and sorts the n-grams of a level, and counts them by the level before. */
  private void gather(int level, int[] counts, int countsLength) {
    Arrays.fill(counts, 0, countsLength, 0);
    if (level > order) {
      return;
    }
    int found = 0;
    for (int slot = 0; slot < table.slots(); slot++) {
      if (table.isTaken(slot)) {
        int place = place(table.parent(slot));
        if (place >= 0) {
          keys[found++] = (long) place << 32 | table.word(slot);
          counts[place]++;
        }
      }
    }
    Arrays.sort(keys, 0, found);
  }

  private int place(int node) {
    return node < builder.words() ? node : table.number(node);
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
      put(trees[id] == 0 ? 0 : address(at + 1));
      put(0);
      at += shape.words(trees[id], payloadWords(2));
    }
    end();
  }

  /** Writes all nodes. */
  void writeNodes(Consumer<ByteBuffer> to) {
    begin(to);
    for (int level = 2; level < order; level++) {
      place();
      gather(level + 1, nextTrees, size(level));
      writeLevel(level);
      int[] free = parents;
      parents = nodes;
      nodes = free;
      parentCount = size(level);
      free = trees;
      trees = nextTrees;
      nextTrees = free;
    }
    if (order > 1) {
      writeHighest();
    }
    end();
  }

  /** Puts the n-grams of a level in the order in which they will lie. */
  private void place() {
    int from = 0;
    int next = 0;
    for (int parent = 0; parent < parentCount; parent++) {
      shape.lay(trees[parent], 0);
      for (int node = 0; node < shape.nodes(); node++) {
        for (int i = 0; i < shape.keys(node); i++, next++) {
          words[next] = (int) keys[from + shape.place(node, i)];
          nodes[next] = table.find(parents[parent], words[next]);
        }
      }
      from += trees[parent];
    }
    for (int i = 0; i < next; i++) {
      table.setNumber(nodes[i], i);
    }
  }

  private void writeLevel(int level) {
    long tree = 0; // where the tree begins, counted from the level's beginning
    long next = 0; // where the next level's next tree begins, counted from there, too
    for (int parent = 0; parent < parentCount; parent++) {
      next += shape.words(trees[parent], payloadWords(level));
    }
    int ngram = 0;
    for (int parent = 0; parent < parentCount; parent++) {
      shape.lay(trees[parent], payloadWords(level));
      for (int node = 0; node < shape.nodes(); node++) {
        long at = tree + shape.at(node);
        putHead(node);
        for (int i = 0; i < shape.keys(node); i++) {
          put(words[ngram + i]);
        }
        putChildren(node);
        for (int i = 0; i < shape.keys(node); i++, ngram++) {
          long value = table.value(nodes[ngram]);
          put((int) value);
          put((int) (value >>> 32));
          put(nextTrees[ngram] == 0 ? 0 : address(next - at));
          next += shape.words(nextTrees[ngram], payloadWords(level + 1));
        }
      }
      tree += shape.words(trees[parent], payloadWords(level));
    }
  }

  /** Writes the highest order, straight from the table: no places are needed. */
  private void writeHighest() {
    int from = 0;
    for (int parent = 0; parent < parentCount; parent++) {
      shape.lay(trees[parent], 1);
      for (int node = 0; node < shape.nodes(); node++) {
        putHead(node);
        for (int i = 0; i < shape.keys(node); i++) {
          put((int) keys[from + shape.place(node, i)]);
        }
        putChildren(node);
        for (int i = 0; i < shape.keys(node); i++) {
          int word = (int) keys[from + shape.place(node, i)];
          put((int) table.value(table.find(parents[parent], word)));
        }
      }
      from += trees[parent];
    }
  }

  private void putHead(int node) {
    put(shape.keys(node) | (shape.children(node) == 0 ? 0 : LmSections.INNER));
  }

  private void putChildren(int node) {
    for (int i = 0; i < shape.children(node); i++) {
      put(address((long) shape.at(shape.child(node, i)) - shape.at(node)));
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
