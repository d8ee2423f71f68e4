package io.latimer.operators.lm.model;

import io.latimer.operators.index.MappedSection;
import io.latimer.operators.util.Hashing;
import java.nio.LongBuffer;

/** The n-grams of the hash layout, read from the mapped file. Thread-safe. */
public final class HashTrie {
  private static final long EMPTY_KEY = (long) LmSections.EMPTY << 32;
  private static final int SLOT_BYTES = LmSections.BUCKET_BYTES / 2;

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

  /** The key of an n-gram: the node of its suffix and its first word. */
  public static long key(int parent, int word) {
    return (long) word << 32 | parent;
  }

  /**
   * Searches for many n-grams together. All searches advance by one bucket per step: the loop of
   * {@link #touch} keeps as many reads in flight as it can, and that of {@link #advance} does not
   * branch on what it reads, because such branches cannot be predicted.
   *
   * @param keys of the n-grams, {@link #key(int, int)}
   * @param count the number of n-grams
   * @param nodes receives their nodes, the number of words plus the slot, or -1 if absent
   * @param searches scratch space for {@code count} numbers
   * @return a number without meaning; using it keeps the compiler from removing the prefetch
   */
  public long find(long[] keys, int count, int[] nodes, int[] searches) {
    for (int i = 0; i < count; i++) {
      nodes[i] = home(keys[i]);
      searches[i] = i;
    }
    long sum = 0;
    for (int left = count; left > 0; left = advance(keys, nodes, searches, left)) {
      sum += touch(nodes, searches, left);
    }
    return sum;
  }

  /** The bucket where the search for an n-gram starts. */
  private int home(long key) {
    return (int) Hashing.home(Hashing.mix(Long.rotateRight(key, 32)), buckets);
  }

  /** Prefetches the buckets of searches. */
  private long touch(int[] places, int[] searches, int count) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += slotKey(2 * places[searches[i]]);
    }
    return sum;
  }

  /**
   * Advances searches by one bucket.
   *
   * @param places the bucket of each search; receives the next bucket, or the node or -1 at the end
   * @param searches the unfinished searches; those that stay unfinished are moved to the front
   * @return the number of unfinished searches
   */
  private int advance(long[] keys, int[] places, int[] searches, int count) {
    int left = 0;
    for (int i = 0; i < count; i++) {
      int search = searches[i];
      long key = keys[search];
      int bucket = places[search];
      long second = slotKey(2 * bucket + 1);
      int inSecond = isZero(second ^ key);
      int found = inSecond | isZero(slotKey(2 * bucket) ^ key);
      int goesOn = 1 - (found | isZero(second ^ EMPTY_KEY));
      int next = bucket + 1 == buckets ? 0 : bucket + 1;
      int node = words + 2 * bucket + inSecond;
      places[search] = (next & -goesOn) | (node & -found) | (goesOn + found - 1);
      searches[left] = search;
      left += goesOn;
    }
    return left;
  }

  /** 1 for zero, 0 for other numbers, without a branch. */
  private static int isZero(long number) {
    return (int) (~(number | -number) >>> 63);
  }

  private long slotKey(int slot) {
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
