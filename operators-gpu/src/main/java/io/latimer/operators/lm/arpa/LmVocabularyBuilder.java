package io.latimer.operators.lm.arpa;

import io.latimer.operators.lm.model.LmSections;
import io.latimer.operators.lm.model.LmVocabulary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Collects words, assigns them ids from 1 on, and builds the vocabulary. */
final class LmVocabularyBuilder {
  private static final byte[] UNKNOWN = "<unk>".getBytes(StandardCharsets.UTF_8);
  private static final byte[] UNKNOWN_CAPITAL = "<UNK>".getBytes(StandardCharsets.UTF_8);
  private static final int MAX_TEXT = Integer.MAX_VALUE - 8;

  private byte[] text = new byte[1 << 16];
  private int[] starts = new int[1 << 12];
  private int size;

  LmVocabularyBuilder() {
    append(UNKNOWN, 0, UNKNOWN.length);
  }

  /** Whether a word is the unknown word. */
  static boolean isUnknown(byte[] bytes, int from, int to) {
    return Arrays.equals(bytes, from, to, UNKNOWN, 0, UNKNOWN.length)
        || Arrays.equals(bytes, from, to, UNKNOWN_CAPITAL, 0, UNKNOWN_CAPITAL.length);
  }

  int size() {
    return size;
  }

  /**
   * Adds a word.
   *
   * @return its id, or -1 if it does not fit
   */
  int add(byte[] bytes, int from, int to) {
    if (isUnknown(bytes, from, to)) {
      return LmVocabulary.UNKNOWN;
    }
    if (size == LmSections.MAX_WORDS || to - from > MAX_TEXT - starts[size]) {
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

  /** The vocabulary; a word that was added twice has its first id. */
  LmVocabulary build() {
    int slots = size + size / 2 + 1;
    long[] table = new long[slots];
    Arrays.fill(table, (long) LmSections.EMPTY << 32);
    for (int id = 1; id < size; id++) {
      insert(table, id);
    }
    ByteBuffer tableBytes =
        ByteBuffer.allocate(Math.multiplyExact(slots, LmVocabulary.SLOT_BYTES))
            .order(ByteOrder.LITTLE_ENDIAN);
    tableBytes.asLongBuffer().put(table);
    ByteBuffer startBytes = ByteBuffer.allocate(4 * (size + 1)).order(ByteOrder.LITTLE_ENDIAN);
    startBytes.asIntBuffer().put(starts, 0, size + 1);
    return new LmVocabulary(size, ByteBuffer.wrap(text, 0, starts[size]), startBytes, tableBytes);
  }

  private void insert(long[] table, int id) {
    long hash = LmVocabulary.hash(text, starts[id], starts[id + 1]);
    int slot = (int) LmSections.home(hash, table.length);
    while (table[slot] >>> 32 != (LmSections.EMPTY & 0xFFFFFFFFL)) {
      int other = (int) (table[slot] >>> 32);
      if (Arrays.equals(text, starts[other], starts[other + 1], text, starts[id], starts[id + 1])) {
        return;
      }
      slot = slot + 1 == table.length ? 0 : slot + 1;
    }
    table[slot] = (long) id << 32 | (hash & 0xFFFFFFFFL);
  }
}
