package io.latimer.operators.lm.arpa;

import io.latimer.operators.lm.model.LmFormatException;
import io.latimer.operators.lm.model.LmSections;
import io.latimer.operators.lm.model.LmSettings;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/**
 * The n-grams of two words and more while a model is made: the very table that the hash layout
 * writes, two 64-bit numbers a place, {u32 suffix's node, u32 first word} and {f32 prob, f32
 * back-off}. A node is a unigram's word id or the number of words plus the place.
 */
final class TrieTable {
  private static final int NONE = -1;
  private static final long EMPTY_KEY = (long) LmSections.EMPTY << 32;
  private static final int LONGS = LmSections.BUCKET_BYTES / Long.BYTES;
  private static final long MAX_BUCKETS = (Integer.MAX_VALUE - 8) / LONGS;
  private static final long WORD = 0xFFFFFFFFL;
  private static final int PIECE = 1 << 14; // longs

  /** The word of a key that has given way to a number, which is where its parent was. */
  private static final int MOVED = 0xFFFFFFFE;

  /** Set in the word of a key whose parent has given way to the parent's number. */
  private static final int COUNTED = 1 << 30;

  private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);

  private final int words;
  private long[] table;
  private int buckets;
  private long size;
  private int generation;

  /**
   * Makes an empty table.
   *
   * @param words of the vocabulary
   * @param buckets at least 1
   */
  TrieTable(int words, long buckets) {
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

  /** How many times it has been resized. */
  int generation() {
    return generation;
  }

  /** The node of an n-gram, -1 if there is none. */
  int find(int parent, int word) {
    return find(home(parent, word, buckets), parent, word);
  }

  /** The same as {@link #find(int, int)} for who knows the bucket where it is searched for. */
  int find(int home, int parent, int word) {
    int slot = probe(table, buckets, home, key(parent, word));
    return table[2 * slot] == EMPTY_KEY ? NONE : words + slot;
  }

  /**
   * Adds an n-gram that is not there yet.
   *
   * @return its node
   */
  int add(int parent, int word, long value) {
    int slot = probe(table, buckets, home(parent, word, buckets), key(parent, word));
    put(slot, key(parent, word), value);
    return words + slot;
  }

  /**
   * Adds an n-gram unless it is there.
   *
   * @param home the bucket where it is searched for
   * @return whether it was not there
   */
  boolean addNew(int home, int parent, int word, long value) {
    long key = key(parent, word);
    int slot = probe(table, buckets, home, key);
    if (table[2 * slot] == key) {
      return false;
    }
    put(slot, key, value);
    return true;
  }

  private void put(int slot, long key, long value) {
    table[2 * slot] = key;
    table[2 * slot + 1] = value;
    size++;
  }

  /** The bucket where an n-gram is searched for. */
  int home(int parent, int word) {
    return home(parent, word, buckets);
  }

  /** Reads a bucket, so that it is near when it is searched. */
  long touch(int home) {
    return table[LONGS * home];
  }

  /** Sets and clears bits of a value; several threads may. */
  void changeValue(int node, long set, long clear) {
    change(table, 2 * (node - words) + 1, set, clear);
  }

  /** Sets and clears bits of a number that other threads may be changing. */
  static void change(long[] numbers, int at, long set, long clear) {
    long now = (long) ELEMENT.getOpaque(numbers, at);
    if ((now & set) != set) {
      ELEMENT.getAndBitwiseOr(numbers, at, set);
    }
    if ((now & clear) != 0) {
      ELEMENT.getAndBitwiseAnd(numbers, at, ~clear);
    }
  }

  /** A place's {back-off, prob} as bits, the back-off the higher half. */
  long value(int node) {
    return table[2 * (node - words) + 1];
  }

  /** Sets what {@link #value} gives. */
  void setValue(int node, long value) {
    table[2 * (node - words) + 1] = value;
  }

  /**
   * Where the suffix of an n-gram has a number, puts that in its key instead of the suffix's node,
   * and returns it; else -1, as for an empty place, and for one that has a number itself or has
   * been counted. Several threads may count, each its places, while none calls {@link #setNumber}.
   */
  int count(int slot) {
    int word = word(slot);
    if (word >>> 30 != 0) {
      return NONE;
    }
    int parent = parent(slot);
    int number = parent < words ? parent : number(parent);
    if (number >= 0) {
      ELEMENT.setOpaque(table, 2 * slot, key(number, word | COUNTED));
    }
    return number;
  }

  /** Whether {@link #count} has put a number in the key of a place, which {@link #parent} gives. */
  boolean isCounted(int slot) {
    return word(slot) >>> 30 == 1;
  }

  /** The first word of the n-gram in a place that has been counted. */
  int countedWord(int slot) {
    return word(slot) & ~COUNTED;
  }

  /** Puts a number in the place of an n-gram's key, which is not found any more. */
  void setNumber(int slot, int number) {
    table[2 * slot] = key(number, MOVED);
  }

  /** The number that is in the place of an n-gram's key, -1 if the key is there. */
  private int number(int node) {
    long key = (long) ELEMENT.getOpaque(table, 2 * (node - words));
    return (int) (key >>> 32) == MOVED ? (int) key : NONE;
  }

  /** The suffix's node of the n-gram in a place, or its number. */
  int parent(int slot) {
    return (int) table[2 * slot];
  }

  private int word(int slot) {
    return (int) (table[2 * slot] >>> 32);
  }

  /** The {back-off, prob} of the n-gram in a place as bits. */
  long valueAt(int slot) {
    return table[2 * slot + 1];
  }

  /** Moves all n-grams to a table of another size; every node above the unigrams changes. */
  void resize(long newBuckets) {
    long[] to = newTable(newBuckets);
    for (int slot = 0; slot < slots(); slot++) {
      move(slot, to, (int) newBuckets);
    }
    table = to;
    buckets = (int) newBuckets;
    generation++;
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
    int newSlot = probe(to, newBuckets, home(newParent, word, newBuckets), key(newParent, word));
    to[2 * newSlot] = key(newParent, word);
    to[2 * newSlot + 1] = table[2 * slot + 1];
    table[2 * slot] = key(words + newSlot, MOVED);
    return words + newSlot;
  }

  /** The place of an n-gram, or the free one where it belongs. */
  private static int probe(long[] table, int buckets, int home, long key) {
    int bucket = home;
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

  private static int home(int parent, int word, int buckets) {
    return (int) LmSections.home(LmSections.mix((long) parent << 32 | word), buckets);
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
