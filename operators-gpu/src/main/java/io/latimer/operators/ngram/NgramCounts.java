package io.latimer.operators.ngram;

import io.latimer.operators.OperatorException;
import io.latimer.operators.util.Team;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/**
 * N-grams and their counts, sorted by n-gram: bytes compare as unsigned numbers, words by id, first
 * word first. Immutable and mergeable; docs/formats.md describes the serialized form.
 */
public final class NgramCounts {
  private static final int MAGIC = 0x434e474c; // "LGNC", little endian
  private static final int VERSION = 1;
  private static final int BYTES_CODE = 1;
  private static final int WORDS_CODE = 2;
  private static final int HEADER_BYTES = 32;

  /** Runs everything on the caller's thread. */
  static final Team ALONE = new Team(1);

  /** N-grams that a thread checks per step. */
  private static final int SHARE = 1 << 16;

  private final NgramUnit unit;
  private final int order;
  private final long[] byteKeys; // for bytes: the n-gram as a big-endian number
  private final int[] words; // for words: order ids per n-gram
  private final long[] counts;
  private final long total;

  private NgramCounts(
      NgramUnit unit, int order, long[] byteKeys, int[] words, long[] counts, long total) {
    this.unit = unit;
    this.order = order;
    this.byteKeys = byteKeys;
    this.words = words;
    this.counts = counts;
    this.total = total;
  }

  /** A table without n-grams. */
  public static NgramCounts empty(NgramUnit unit, int order) {
    return unit == NgramUnit.BYTES
        ? ofBytes(order, new long[0], new long[0])
        : ofWords(order, new int[0], new long[0]);
  }

  /**
   * Makes a table of byte n-grams. Keeps the arrays, which must not be modified afterwards.
   *
   * @param keys strictly ascending unsigned numbers below 256^order
   * @param counts one per key, 1 or more
   * @throws OperatorException if they violate this
   */
  public static NgramCounts ofBytes(int order, long[] keys, long[] counts) {
    return ofBytes(order, keys, counts, ALONE);
  }

  /** The same, checked by several threads. */
  static NgramCounts ofBytes(int order, long[] keys, long[] counts, Team team) {
    check(NgramUnit.BYTES, order, keys.length, counts);
    forShares(
        keys.length,
        team,
        (from, to) -> {
          for (int i = from; i < to; i++) {
            if (order < 8 && keys[i] >>> (8 * order) != 0) {
              throw new OperatorException(
                  "n-gram " + i + " of a table has more than " + order + " bytes");
            }
            if (i > 0 && Long.compareUnsigned(keys[i - 1], keys[i]) >= 0) {
              throw new OperatorException(
                  "n-gram " + i + " of a table is not greater than the one before");
            }
          }
        });
    return new NgramCounts(NgramUnit.BYTES, order, keys, new int[0], counts, total(counts, team));
  }

  /**
   * Makes a table of word n-grams. Keeps the arrays, which must not be modified afterwards.
   *
   * @param words order ids per n-gram, n-grams strictly ascending
   * @param counts one per n-gram, 1 or more
   * @throws OperatorException if they violate this
   */
  public static NgramCounts ofWords(int order, int[] words, long[] counts) {
    return ofWords(order, words, counts, ALONE);
  }

  /** The same, checked by several threads. */
  static NgramCounts ofWords(int order, int[] words, long[] counts, Team team) {
    if (order >= 1 && words.length != (long) counts.length * order) {
      throw new OperatorException(
          "a table of "
              + counts.length
              + " n-grams of "
              + order
              + " has "
              + words.length
              + " words");
    }
    check(NgramUnit.WORDS, order, counts.length, counts);
    forShares(
        counts.length,
        team,
        (from, to) -> {
          for (int i = from * order; i < to * order; i++) {
            if (words[i] < 0) {
              throw new OperatorException(
                  "word " + i + " of a table is " + words[i] + ", but ids start at 0");
            }
          }
          for (int i = Math.max(1, from); i < to; i++) {
            if (compare(words, i - 1, words, i, order) >= 0) {
              throw new OperatorException(
                  "n-gram " + i + " of a table is not greater than the one before");
            }
          }
        });
    return new NgramCounts(NgramUnit.WORDS, order, new long[0], words, counts, total(counts, team));
  }

  private static void check(NgramUnit unit, int order, int keys, long[] counts) {
    NgramOptions.of(unit, order);
    if (keys != counts.length) {
      throw new OperatorException(
          "a table has " + keys + " n-grams, but " + counts.length + " counts");
    }
  }

  /** The sum of counts, each of which must be at least 1. */
  private static long total(long[] counts, Team team) {
    AtomicLong sum = new AtomicLong();
    forShares(
        counts.length,
        team,
        (from, to) -> {
          long here = 0;
          for (int i = from; i < to; i++) {
            if (counts[i] < 1) {
              throw new OperatorException(
                  "n-gram " + i + " of a table has the count " + counts[i] + ", the minimum is 1");
            }
            here = addExact(here, counts[i]);
          }
          long added = here;
          sum.updateAndGet(before -> addExact(before, added));
        });
    return sum.get();
  }

  /** A range of n-grams of a table: from inclusive, to exclusive. */
  interface Range {
    void each(int from, int to);
  }

  /** Processes all n-grams of a table in shares, on several threads concurrently. */
  static void forShares(int size, Team team, Range range) {
    int shares = (int) (((long) size + SHARE - 1) / SHARE);
    team.run(
        shares, share -> range.each(share * SHARE, (int) Math.min(size, (share + 1L) * SHARE)));
  }

  public NgramUnit unit() {
    return unit;
  }

  public int order() {
    return order;
  }

  /** The number of distinct n-grams. */
  public int size() {
    return counts.length;
  }

  /** The sum of all counts. */
  public long total() {
    return total;
  }

  /** The count of n-gram i, 1 or more. */
  public long count(int i) {
    return counts[i];
  }

  /** Byte n-gram i as an unsigned big-endian number. */
  public long byteKey(int i) {
    return byteKeys[i];
  }

  /** The bytes of byte n-gram i. */
  public byte[] bytes(int i) {
    byte[] bytes = new byte[order];
    for (int k = 0; k < order; k++) {
      bytes[k] = (byte) (byteKeys[i] >>> (8 * (order - 1 - k)));
    }
    return bytes;
  }

  /** Word k of word n-gram i. */
  public int word(int i, int k) {
    return words[i * order + k];
  }

  /** The words of word n-gram i. */
  public int[] words(int i) {
    return Arrays.copyOfRange(words, i * order, (i + 1) * order);
  }

  /**
   * The most frequent n-grams, as indexes into this table.
   *
   * @param k the maximum number of results, 0 or more
   * @return most frequent first, ties by n-gram
   */
  public int[] top(int k) {
    if (k < 0) {
      throw new IllegalArgumentException("k must not be negative, found " + k);
    }
    int[] some = k < size() / 8 ? mostFrequent(k) : IntStream.range(0, size()).toArray();
    long[] falling = new long[some.length];
    long[] numbers = new long[some.length];
    for (int i = 0; i < some.length; i++) {
      falling[i] = Long.MAX_VALUE - counts[some[i]];
      numbers[i] = some[i];
    }
    RadixSort.sort(falling, numbers); // stable: ties stay in n-gram order
    int[] top = new int[Math.min(k, some.length)];
    for (int i = 0; i < top.length; i++) {
      top[i] = (int) numbers[i];
    }
    return top;
  }

  /** The indexes of the k n-grams of {@link #top}, in table order. */
  private int[] mostFrequent(int k) {
    // The head of the queue is evicted first: the rarest, and of those the last.
    Comparator<Integer> worstFirst =
        Comparator.comparingLong((Integer i) -> counts[i]).thenComparing(Comparator.reverseOrder());
    PriorityQueue<Integer> best = new PriorityQueue<>(Math.max(1, k), worstFirst);
    for (int i = 0; i < counts.length && k > 0; i++) {
      if (best.size() < k) {
        best.add(i);
      } else if (counts[i] > counts[best.element()]) {
        best.poll();
        best.add(i);
      }
    }
    return best.stream().mapToInt(Integer::intValue).sorted().toArray();
  }

  /**
   * Adds two tables.
   *
   * @throws OperatorException if they differ in unit or order, or a count passes 2^63-1
   */
  public static NgramCounts merge(NgramCounts a, NgramCounts b) {
    a.requireLike(b);
    if (a.size() == 0) {
      return b;
    }
    if (b.size() == 0) {
      return a;
    }
    long most = (long) a.size() + b.size();
    int room =
        (int) Math.min(most, (Integer.MAX_VALUE - 8) / (a.unit == NgramUnit.WORDS ? a.order : 1));
    int order = a.order;
    boolean bytes = a.unit == NgramUnit.BYTES;
    long[] keys = new long[bytes ? room : 0];
    int[] words = new int[bytes ? 0 : Math.multiplyExact(room, order)];
    long[] counts = new long[room];
    int size = 0;
    int i = 0;
    int j = 0;
    while (i < a.size() || j < b.size()) {
      int compared = i == a.size() ? 1 : j == b.size() ? -1 : a.compareTo(i, b, j);
      if (size == room) {
        throw new OperatorException(
            "a table of more than " + room + " n-grams does not fit into memory");
      }
      NgramCounts from = compared <= 0 ? a : b;
      int at = compared <= 0 ? i : j;
      if (bytes) {
        keys[size] = from.byteKeys[at];
      } else {
        System.arraycopy(from.words, at * order, words, size * order, order);
      }
      counts[size++] = compared == 0 ? addExact(a.counts[i], b.counts[j]) : from.counts[at];
      i += compared <= 0 ? 1 : 0;
      j += compared >= 0 ? 1 : 0;
    }
    return new NgramCounts(
        a.unit,
        order,
        bytes ? Arrays.copyOf(keys, size) : keys,
        bytes ? words : Arrays.copyOf(words, size * order),
        Arrays.copyOf(counts, size),
        addExact(a.total, b.total));
  }

  /**
   * The same counts with other ids for the words.
   *
   * @param ids the new id per old id, 0 or more, all distinct
   * @throws OperatorException if a word has no new id, or two n-grams become equal
   */
  public NgramCounts withIds(int[] ids) {
    if (unit != NgramUnit.WORDS) {
      throw new IllegalStateException("only words have ids, these are n-grams of " + unit);
    }
    int[] renamed = new int[words.length];
    for (int i = 0; i < words.length; i++) {
      if (words[i] >= ids.length || ids[words[i]] < 0) {
        throw new OperatorException("word " + words[i] + " has no new id");
      }
      renamed[i] = ids[words[i]];
    }
    int[] places = RadixSort.order(renamed, order);
    int[] sortedWords = new int[words.length];
    long[] sortedCounts = new long[counts.length];
    for (int i = 0; i < places.length; i++) {
      System.arraycopy(renamed, places[i] * order, sortedWords, i * order, order);
      sortedCounts[i] = counts[places[i]];
    }
    return ofWords(order, sortedWords, sortedCounts);
  }

  /** Rejects a table of another unit or order. */
  void requireLike(NgramCounts other) {
    if (unit != other.unit || order != other.order) {
      throw new OperatorException(
          "counts of "
              + other.order
              + "-grams of "
              + other.unit
              + " cannot be added to those of "
              + order
              + "-grams of "
              + unit);
    }
  }

  private int compareTo(int i, NgramCounts other, int j) {
    return unit == NgramUnit.BYTES
        ? Long.compareUnsigned(byteKeys[i], other.byteKeys[j])
        : compare(words, i, other.words, j, order);
  }

  private static int compare(int[] a, int i, int[] b, int j, int order) {
    return Arrays.compare(a, i * order, (i + 1) * order, b, j * order, (j + 1) * order);
  }

  private static long addExact(long a, long b) {
    try {
      return Math.addExact(a, b);
    } catch (ArithmeticException e) {
      throw new OperatorException("the count of an n-gram passes 2^63-1", e);
    }
  }

  /** The table as bytes: docs/formats.md, "Counts of n-grams". */
  public byte[] toBytes() {
    long needed = HEADER_BYTES + (long) size() * (8 + keyBytes(unit, order));
    if (needed > Integer.MAX_VALUE - 8) {
      throw new OperatorException("a table of " + size() + " n-grams is too large for a snapshot");
    }
    byte[] bytes = new byte[(int) needed];
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(MAGIC);
    out.putInt(VERSION);
    out.putInt(unit == NgramUnit.BYTES ? BYTES_CODE : WORDS_CODE);
    out.putInt(order);
    out.putLong(size());
    out.putLong(0); // placeholder for the checksum
    for (long key : byteKeys) {
      out.putLong(key);
    }
    for (int word : words) {
      out.putInt(word);
    }
    for (long count : counts) {
      out.putLong(count);
    }
    out.putInt(24, checksum(bytes));
    return bytes;
  }

  /**
   * Reads the output of {@link #toBytes}.
   *
   * @throws OperatorException if the bytes are invalid; the message says why
   */
  public static NgramCounts fromBytes(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length < HEADER_BYTES || in.getInt(0) != MAGIC) {
      throw bad("these are not counts of n-grams");
    }
    if (in.getInt(4) != VERSION) {
      throw bad("version " + in.getInt(4) + ", this build reads " + VERSION);
    }
    int code = in.getInt(8);
    if (code != BYTES_CODE && code != WORDS_CODE) {
      throw bad("unit " + code + " is unknown");
    }
    NgramUnit unit = code == BYTES_CODE ? NgramUnit.BYTES : NgramUnit.WORDS;
    int order = in.getInt(12);
    NgramOptions.of(unit, order);
    long size = in.getLong(16);
    long room = (bytes.length - HEADER_BYTES) / (8L + keyBytes(unit, order));
    if (size < 0
        || size > room
        || HEADER_BYTES + size * (8L + keyBytes(unit, order)) != bytes.length) {
      throw bad(size + " n-grams do not take " + bytes.length + " bytes");
    }
    if (in.getInt(24) != checksum(bytes) || in.getInt(28) != 0) {
      throw bad("the checksum is wrong: they were changed or cut");
    }
    in.position(HEADER_BYTES);
    long[] keys = new long[unit == NgramUnit.BYTES ? (int) size : 0];
    int[] words = new int[unit == NgramUnit.WORDS ? (int) size * order : 0];
    long[] counts = new long[(int) size];
    in.asLongBuffer().get(keys);
    in.position(HEADER_BYTES + keys.length * 8);
    in.asIntBuffer().get(words);
    in.position(HEADER_BYTES + keys.length * 8 + words.length * 4);
    in.asLongBuffer().get(counts);
    return unit == NgramUnit.BYTES ? ofBytes(order, keys, counts) : ofWords(order, words, counts);
  }

  private static int keyBytes(NgramUnit unit, int order) {
    return unit == NgramUnit.BYTES ? 8 : 4 * order;
  }

  /** CRC-32C of everything but the checksum and the four bytes after it. */
  private static int checksum(byte[] all) {
    CRC32C crc = new CRC32C();
    crc.update(all, 0, 24);
    crc.update(all, HEADER_BYTES, all.length - HEADER_BYTES);
    return (int) crc.getValue();
  }

  private static OperatorException bad(String what) {
    return new OperatorException("a snapshot of n-gram counts cannot be read: " + what);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NgramCounts that
        && unit == that.unit
        && order == that.order
        && Arrays.equals(byteKeys, that.byteKeys)
        && Arrays.equals(words, that.words)
        && Arrays.equals(counts, that.counts);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(counts) * 31 + order;
  }

  @Override
  public String toString() {
    return size() + " " + order + "-grams of " + unit + ", " + total + " in total";
  }
}
