package io.latimer.operators.index;

import io.latimer.operators.util.Hashing;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Collects words, assigns them ids from 1 on, and builds their table. */
public final class WordTableBuilder {
  /** Maximum bytes of all words. */
  public static final int MAX_TEXT = Integer.MAX_VALUE - 8;

  private byte[] text = new byte[1 << 16];
  private int[] starts = new int[1 << 12];
  private int size;

  /**
   * Makes an empty builder.
   *
   * @param unknown the bytes of word {@link WordTable#UNKNOWN}, which no lookup finds
   */
  public WordTableBuilder(byte[] unknown) {
    append(unknown, 0, unknown.length);
  }

  /**
   * Adds a word.
   *
   * @return its id, or -1 if it does not fit
   */
  public int add(byte[] bytes, int from, int to) {
    if (size == WordTable.MAX_WORDS || to - from > MAX_TEXT - starts[size]) {
      return -1;
    }
    return append(bytes, from, to);
  }

  private int append(byte[] bytes, int from, int to) {
    int start = starts[size];
    int end = start + to - from;
    if (end > text.length) {
      text = Arrays.copyOf(text, (int) Math.min(MAX_TEXT, Math.max(end, 2L * text.length)));
    }
    System.arraycopy(bytes, from, text, start, to - from);
    if (size + 2 > starts.length) {
      starts = Arrays.copyOf(starts, (int) Math.min(MAX_TEXT, 2L * starts.length));
    }
    starts[size + 1] = end;
    return size++;
  }

  /** The table; a word that was added twice has its first id. */
  public WordTable build() {
    int slots = size + size / 2 + 1;
    long[] table = new long[slots];
    Arrays.fill(table, (long) WordTable.EMPTY << 32);
    for (int id = 1; id < size; id++) {
      insert(table, id);
    }
    ByteBuffer tableBytes =
        ByteBuffer.allocate(Math.multiplyExact(slots, WordTable.SLOT_BYTES))
            .order(ByteOrder.LITTLE_ENDIAN);
    tableBytes.asLongBuffer().put(table);
    ByteBuffer startBytes = ByteBuffer.allocate(4 * (size + 1)).order(ByteOrder.LITTLE_ENDIAN);
    startBytes.asIntBuffer().put(starts, 0, size + 1);
    return new WordTable(size, ByteBuffer.wrap(text, 0, starts[size]), startBytes, tableBytes);
  }

  private void insert(long[] table, int id) {
    long hash = WordTable.hash(text, starts[id], starts[id + 1]);
    int slot = (int) Hashing.home(hash, table.length);
    while (table[slot] >>> 32 != (WordTable.EMPTY & 0xFFFFFFFFL)) {
      int other = (int) (table[slot] >>> 32);
      if (Arrays.equals(text, starts[other], starts[other + 1], text, starts[id], starts[id + 1])) {
        return;
      }
      slot = slot + 1 == table.length ? 0 : slot + 1;
    }
    table[slot] = (long) id << 32 | (hash & 0xFFFFFFFFL);
  }
}
