package io.latimer.operators.lm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/**
 * The n-grams of two words and more while a model is made: the very table that the hash layout
 * writes, two 64-bit numbers a place, {u32 suffix's node, u32 first word} and {f32 prob, f32
 * back-off}. A node is a unigram's word id or the number of words plus the place.
 */
final class NgramTable {
  private static final int NONE = -1;
  private static final long EMPTY_KEY = (long) LmSections.EMPTY << 32;
  private static final int LONGS = LmSections.BUCKET_BYTES / Long.BYTES;
  private static final long MAX_BUCKETS = (Integer.MAX_VALUE - 8) / LONGS;
  private static final long WORD = 0xFFFFFFFFL;
  private static final int PIECE = 1 << 14; // longs

  /** The word of a key that has given way to a number, which is where its parent was. */
  private static final int MOVED = 0xFFFFFFFE;

  private final int words;
  private long[] table;
  private int buckets;
  private long size;

  /**
   * Makes an empty table.
   *
   * @param words of the vocabulary
   * @param buckets at least 1
   */
  NgramTable(int words, long buckets) {
    this.words = words;
    this.table = newTable(buckets);
    this.buckets = (int) buckets;
  }

  private long[] newTable(long buckets) {
    if (buckets > MAX_BUCKETS || buckets > (LmSettings.MAX_NODES - words) / 2) {
      throw new LmFormatException(
          "the model is too large: its table would have "
              + buckets
              + " buckets, and "
              + MAX_BUCKETS
              + " is the most");
    }
    try {
      long[] longs = new long[(int) (buckets * LONGS)];
      for (int i = 0; i < longs.length; i += 2) {
        longs[i] = EMPTY_KEY;
      }
      return longs;
    } catch (OutOfMemoryError e) {
      throw new LmFormatException(
          String.format(
              "the model needs a table of %,d MB, and Java's heap has %,d MB; give it more, for"
                  + " example with JAVA_TOOL_OPTIONS=-Xmx%dg",
              buckets * LmSections.BUCKET_BYTES / 1_000_000,
              Runtime.getRuntime().maxMemory() / 1_000_000,
              2 * buckets * LmSections.BUCKET_BYTES / 1_000_000_000 + 1),
          e);
    }
  }

  long buckets() {
    return buckets;
  }

  /** How many n-grams it holds. */
  long size() {
    return size;
  }

  /** Places, each of which holds an n-gram or none. */
  int slots() {
    return 2 * buckets;
  }

  /** The node of an n-gram, -1 if there is none. */
  int find(int parent, int word) {
    int slot = probe(table, buckets, parent, word);
    return table[2 * slot] == EMPTY_KEY ? NONE : words + slot;
  }

  /**
   * Adds an n-gram that is not there yet.
   *
   * @return its node
   */
  int add(int parent, int word, long value) {
    int slot = probe(table, buckets, parent, word);
    table[2 * slot] = key(parent, word);
    table[2 * slot + 1] = value;
    size++;
    return words + slot;
  }

  /** A place's {back-off, prob} as bits, the back-off the higher half. */
  long value(int node) {
    return table[2 * (node - words) + 1];
  }

  /** Sets what {@link #value} gives. */
  void setValue(int node, long value) {
    table[2 * (node - words) + 1] = value;
  }

  /** Whether a place holds an n-gram that still has its key. */
  boolean isTaken(int slot) {
    int word = word(slot);
    return word != LmSections.EMPTY && word != MOVED;
  }

  /** Puts a number in the place of an n-gram's key, which is not found any more. */
  void setNumber(int node, int number) {
    table[2 * (node - words)] = key(number, MOVED);
  }

  /** The number that is in the place of an n-gram's key, -1 if the key is there. */
  int number(int node) {
    int slot = node - words;
    return word(slot) == MOVED ? parent(slot) : NONE;
  }

  /** The suffix's node of the n-gram in a place. */
  int parent(int slot) {
    return (int) table[2 * slot];
  }

  /** The first word of the n-gram in a place. */
  int word(int slot) {
    return (int) (table[2 * slot] >>> 32);
  }

  /** Moves all n-grams to a table of another size; every node above the unigrams changes. */
  void resize(long newBuckets) {
    long[] to = newTable(newBuckets);
    for (int slot = 0; slot < slots(); slot++) {
      move(slot, to, (int) newBuckets);
    }
    table = to;
    buckets = (int) newBuckets;
  }

  /** Moves one n-gram, after its suffix, and leaves where it went; returns that. */
  private int move(int slot, long[] to, int newBuckets) {
    long key = table[2 * slot];
    int word = (int) (key >>> 32);
    if (word == LmSections.EMPTY) {
      return NONE;
    }
    if (word == MOVED) {
      return (int) key;
    }
    int parent = (int) key;
    int newParent = parent < words ? parent : move(parent - words, to, newBuckets);
    int newSlot = probe(to, newBuckets, newParent, word);
    to[2 * newSlot] = key(newParent, word);
    to[2 * newSlot + 1] = table[2 * slot + 1];
    table[2 * slot] = key(words + newSlot, MOVED);
    return words + newSlot;
  }

  /** The place of an n-gram, or the free one where it belongs. */
  private static int probe(long[] table, int buckets, int parent, int word) {
    long key = key(parent, word);
    int bucket = (int) LmSections.home(LmSections.mix((long) parent << 32 | word), buckets);
    while (true) {
      int at = LONGS * bucket;
      if (table[at] == key || table[at] == EMPTY_KEY) {
        return 2 * bucket;
      }
      if (table[at + 2] == key || table[at + 2] == EMPTY_KEY) {
        return 2 * bucket + 1;
      }
      bucket = bucket + 1 == buckets ? 0 : bucket + 1;
    }
  }

  private static long key(int parent, int word) {
    return (long) word << 32 | (parent & WORD);
  }

  /** Hands out the bytes of the table, in little-endian order. */
  void writeTo(Consumer<ByteBuffer> out) {
    ByteBuffer piece = ByteBuffer.allocate(PIECE * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; at < table.length; at += PIECE) {
      int count = Math.min(PIECE, table.length - at);
      piece.clear();
      piece.asLongBuffer().put(table, at, count);
      out.accept(piece.limit(count * Long.BYTES));
    }
  }
}
