package io.latimer.operators.lm;

import io.latimer.operators.index.WordTable;
import io.latimer.operators.ngram.WordIds;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Splits text into words like {@link LmText#ids}, and finds their ids. Remembers the ids of words
 * of up to eight bytes in a small table, whose keys are the bytes themselves: most words of a text
 * are short and frequent. For one thread.
 */
final class WordReader {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH_BITS = 0x8080808080808080L;

  /** Added to the lower seven bits of each byte, sets the eighth if they are more than a space. */
  private static final long ABOVE_SPACE = (0x7f - ' ') * ONES;

  /** log2 of the number of slots: they fit into the second-level cache beside the matcher. */
  private static final int SLOTS_SHIFT = 14;

  /**
   * 2^64 divided by the golden ratio: the upper bits of a product depend on all bits of the key.
   */
  private static final long SPREAD = 0x9e3779b97f4a7c15L;

  private final WordTable vocabulary;

  /** The bytes of the word in each slot; no word is 0, as NUL separates words. */
  private final long[] keys = new long[1 << SLOTS_SHIFT];

  private final int[] values = new int[1 << SLOTS_SHIFT];

  WordReader(WordTable vocabulary) {
    this.vocabulary = vocabulary;
  }

  /**
   * Writes the ids of the words of a text, 0 for those that are not in the vocabulary.
   *
   * @param ids has room for them from {@code size} on
   * @return the position after them
   */
  int read(byte[] bytes, int from, int to, int[] ids, int size) {
    int words = size;
    int lastEight = bytes.length - Long.BYTES;
    int at = from;
    while (at < to) {
      if (at <= lastEight) {
        long eight = (long) LONGS.get(bytes, at);
        // the high bit of each byte that is a space or a control character
        long low = ~(((eight & ~HIGH_BITS) + ABOVE_SPACE) | eight) & HIGH_BITS;
        int length = Long.numberOfTrailingZeros(low) >>> 3; // 8 if there is none
        int end = at + length;
        if (end <= to && (end == to || WordIds.isSpace(bytes[end]))) {
          if (length > 0) {
            long key = eight & (-1L >>> (Long.SIZE - Byte.SIZE * length));
            ids[words++] = id(key, bytes, at, end);
          }
          at = end + 1;
          continue;
        }
      }
      int start = at;
      while (at < to && !WordIds.isSpace(bytes[at])) {
        at++;
      }
      if (at > start) {
        ids[words++] = vocabulary.id(bytes, start, at);
      }
      at++;
    }
    return words;
  }

  private int id(long key, byte[] bytes, int from, int to) {
    int slot = (int) ((key * SPREAD) >>> (Long.SIZE - SLOTS_SHIFT));
    if (keys[slot] != key) {
      values[slot] = vocabulary.id(bytes, from, to);
      keys[slot] = key;
    }
    return values[slot];
  }
}
