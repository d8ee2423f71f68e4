package io.latimer.operators.lm.model;

import io.latimer.operators.index.MappedSection;
import java.nio.LongBuffer;

/** The n-grams of the hash layout, read from the mapped file. Thread-safe. */
public final class HashTrie {
  private static final long EMPTY_KEY = (long) LmSections.EMPTY << 32;
  private static final int SLOT_BYTES = LmSections.BUCKET_BYTES / 2;
  private static final int BUCKET_LONGS = LmSections.BUCKET_BYTES / Long.BYTES;

  private final int words;
  private final int buckets;
  private final MappedSection table;

  /** The whole table if it fits into one buffer; else null. */
  private final LongBuffer whole;

  HashTrie(LmSettings settings, MappedSection table) {
    this.words = settings.words();
    this.buckets = (int) settings.buckets();
    this.table = table;
    this.whole = table.whole();
  }

  /**
   * The node of an n-gram: the number of words plus its slot.
   *
   * @param parent the node of its suffix
   * @param word its first word
   * @return -1 if there is no such n-gram
   */
  public int find(int parent, int word) {
    return find(home(parent, word), parent, word);
  }

  /** The bucket where the search for an n-gram starts. */
  public int home(int parent, int word) {
    return (int) LmSections.home(LmSections.mix((long) parent << 32 | word), buckets);
  }

  /**
   * Prefetches buckets that will be searched. The loop does nothing else, so that the processor
   * keeps as many reads in flight as it can.
   */
  public long touch(int[] places, int count) {
    long sum = 0;
    if (whole == null) {
      for (int i = 0; i < count; i++) {
        sum += table.getLong((long) places[i] * LmSections.BUCKET_BYTES);
      }
      return sum;
    }
    LongBuffer longs = whole;
    for (int i = 0; i < count; i++) {
      sum += longs.get(places[i] * BUCKET_LONGS);
    }
    return sum;
  }

  /** Like {@link #find(int, int)}, for a caller that knows the start bucket. */
  public int find(int home, int parent, int word) {
    long key = (long) word << 32 | parent;
    int bucket = home;
    while (true) {
      if (key(2 * bucket) == key) {
        return words + 2 * bucket;
      }
      long second = key(2 * bucket + 1);
      if (second == key) {
        return words + 2 * bucket + 1;
      }
      if (second == EMPTY_KEY) {
        return -1;
      }
      bucket = bucket + 1 == buckets ? 0 : bucket + 1;
    }
  }

  private long key(int slot) {
    return whole == null ? table.getLong((long) slot * SLOT_BYTES) : whole.get(2 * slot);
  }

  /** {back-off, prob} of an n-gram as bits, the back-off in the upper half. */
  public long value(int node) {
    int slot = node - words;
    return whole == null
        ? table.getLong((long) slot * SLOT_BYTES + Long.BYTES)
        : whole.get(2 * slot + 1);
  }

  /**
   * Checks every slot, so that no search can leave the table or loop forever.
   *
   * @throws LmFormatException naming the first error
   */
  void check(long ngrams) {
    int slots = 2 * buckets;
    long taken = 0;
    boolean before = true;
    for (int slot = 0; slot < slots; slot++) {
      long key = table.getLong((long) slot * SLOT_BYTES);
      long value = table.getLong((long) slot * SLOT_BYTES + Long.BYTES);
      int word = (int) (key >>> 32);
      int parent = (int) key;
      if (word == LmSections.EMPTY) {
        if (parent != 0 || value != 0) {
          throw wrong(slot, "is empty but not zero");
        }
        before = false;
        continue;
      }
      if ((slot & 1) == 1 && !before) {
        throw wrong(slot, "is taken but the first of its bucket is not");
      }
      before = true;
      if (word < 0 || word >= words) {
        throw wrong(slot, "has the word " + Integer.toUnsignedString(word) + " of " + words);
      }
      if (parent < 0 || parent >= words + slots) {
        throw wrong(slot, "has an invalid suffix: " + Integer.toUnsignedString(parent));
      }
      requireNumbers(value, "place " + slot + " of the table");
      taken++;
    }
    if (taken != ngrams) {
      throw new LmFormatException(
          "the table has " + taken + " n-grams, the settings say " + ngrams);
    }
  }

  private static LmFormatException wrong(int slot, String what) {
    return new LmFormatException("place " + slot + " of the table " + what);
  }

  static void requireNumbers(long value, String where) {
    if (Float.isNaN(Float.intBitsToFloat((int) value))
        || !Float.isFinite(Float.intBitsToFloat((int) (value >>> 32)))) {
      throw new LmFormatException(where + " has a probability or back-off that is not a number");
    }
  }
}
