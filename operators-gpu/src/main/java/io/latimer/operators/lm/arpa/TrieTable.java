package io.latimer.operators.lm.arpa;

import io.latimer.operators.lm.model.LmFormatException;
import io.latimer.operators.lm.model.LmSections;
import io.latimer.operators.lm.model.LmSettings;
import io.latimer.operators.util.Hashing;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/**
 * The n-grams of two or more words while a model is built: the same table that the hash layout
 * writes, with two 64-bit numbers per slot, {u32 suffix's node, u32 first word} and {f32 prob, f32
 * back-off}. A node is a unigram's word id, or the number of words plus the slot.
 */
final class TrieTable {
  private static final int NONE = -1;
  private static final long EMPTY_KEY = (long) LmSections.EMPTY << 32;
  private static final int LONGS = LmSections.BUCKET_BYTES / Long.BYTES;
  private static final long MAX_BUCKETS = (Integer.MAX_VALUE - 8) / LONGS;
  private static final long WORD = 0xFFFFFFFFL;
  private static final int PIECE = 1 << 14; // longs

  /** The word of a key that was replaced by a number, which took the parent's place. */
  private static final int MOVED = 0xFFFFFFFE;

  /** Set in the word of a key whose parent was replaced by the parent's number. */
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
   * @param words number of words of the vocabulary
   * @param buckets number of buckets, at least 1
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
              + " is the maximum");
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
              "the model needs a table of %,d MB, but Java's heap has %,d MB; enlarge it, for"
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

  /** The number of n-grams in the table. */
  long size() {
    return size;
  }

  /** The number of slots, empty ones included. */
  int slots() {
    return 2 * buckets;
  }

  /** The number of resizes. */
  int generation() {
    return generation;
  }

  /** The node of an n-gram, -1 if there is none. */
  int find(int parent, int word) {
    return find(home(parent, word, buckets), parent, word);
  }

  /** Like {@link #find(int, int)}, for a caller that knows the start bucket. */
  int find(int home, int parent, int word) {
    int slot = probe(table, buckets, home, key(parent, word));
    return table[2 * slot] == EMPTY_KEY ? NONE : words + slot;
  }

  /**
   * Adds an n-gram that is not yet in the table.
   *
   * @return its node
   */
  int add(int parent, int word, long value) {
    int slot = probe(table, buckets, home(parent, word, buckets), key(parent, word));
    put(slot, key(parent, word), value);
    return words + slot;
  }

  /**
   * Adds an n-gram unless it is already there.
   *
   * @param home the bucket where its search starts
   * @return whether it was added
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

  /** The bucket where the search for an n-gram starts. */
  int home(int parent, int word) {
    return home(parent, word, buckets);
  }

  /** Prefetches a bucket that will be searched. */
  long touch(int home) {
    return table[LONGS * home];
  }

  /** Sets and clears bits of a value; thread-safe. */
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

  /** A slot's {back-off, prob} as bits, the back-off in the upper half. */
  long value(int node) {
    return table[2 * (node - words) + 1];
  }

  /** Sets the bits that {@link #value} returns. */
  void setValue(int node, long value) {
    table[2 * (node - words) + 1] = value;
  }

  /**
   * If the suffix of an n-gram has a number, stores it in the n-gram's key in place of the suffix's
   * node, and returns it. Otherwise returns -1, as for empty slots and for n-grams that have a
   * number themselves or were counted before. Several threads may count concurrently, each its own
   * slots, while none calls {@link #setNumber}.
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

  /** Whether {@link #count} has stored a number in a slot's key; {@link #parent} returns it. */
  boolean isCounted(int slot) {
    return word(slot) >>> 30 == 1;
  }

  /** The first word of the n-gram in a slot that was counted. */
  int countedWord(int slot) {
    return word(slot) & ~COUNTED;
  }

  /** Replaces an n-gram's key by a number; lookups no longer find the n-gram. */
  void setNumber(int slot, int number) {
    table[2 * slot] = key(number, MOVED);
  }

  /** The number that replaced an n-gram's key, -1 if the key is still there. */
  private int number(int node) {
    long key = (long) ELEMENT.getOpaque(table, 2 * (node - words));
    return (int) (key >>> 32) == MOVED ? (int) key : NONE;
  }

  /** The suffix's node of the n-gram in a slot, or the suffix's number. */
  int parent(int slot) {
    return (int) table[2 * slot];
  }

  private int word(int slot) {
    return (int) (table[2 * slot] >>> 32);
  }

  /** The {back-off, prob} of the n-gram in a slot, as bits. */
  long valueAt(int slot) {
    return table[2 * slot + 1];
  }

  /** Moves all n-grams to a table of another size; every node of order 2 or higher changes. */
  void resize(long newBuckets) {
    long[] to = newTable(newBuckets);
    for (int slot = 0; slot < slots(); slot++) {
      move(slot, to, (int) newBuckets);
    }
    table = to;
    buckets = (int) newBuckets;
    generation++;
  }

  /** Moves one n-gram, after its suffix, and leaves its new node behind; returns that node. */
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

  /** The slot of an n-gram, or the free slot where it belongs. */
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
    return (int) Hashing.home(Hashing.mix((long) parent << 32 | word), buckets);
  }

  private static long key(int parent, int word) {
    return (long) word << 32 | (parent & WORD);
  }

  /** Outputs the bytes of the table, little-endian. */
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
