package io.latimer.operators.index;

import io.latimer.operators.OperatorException;
import io.latimer.operators.util.Hashing;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The words of an index, used in place where they are mapped. A word is a byte string; its hash
 * locates it in a table of ids. Thread-safe.
 */
public final class WordTable {
  /** The id of every unknown word; the index says what its bytes mean. */
  public static final int UNKNOWN = 0;

  /** Maximum words of a table; keeps every section of 16 bytes per word or less below 1 GiB. */
  public static final int MAX_WORDS = (1 << 26) - 1;

  /** The id of an empty slot. */
  static final int EMPTY = 0xFFFFFFFF;

  public static final int SLOT_BYTES = 8;

  public static final long FNV_BASIS = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private final int size;
  private final int slots;
  private final ByteBuffer text;
  private final ByteBuffer starts;
  private final ByteBuffer table;
  private int longest;

  /**
   * Makes a vocabulary from untrusted bytes.
   *
   * @param size number of words
   * @param text the words' bytes, concatenated in id order
   * @param starts start of each word, and the end of the last: u32 each
   * @param table slots of {u32 lower half of the hash, u32 id}
   * @throws IndexFormatException if a lookup could leave the bytes or never end
   */
  public WordTable(int size, ByteBuffer text, ByteBuffer starts, ByteBuffer table) {
    this.size = size;
    this.text = text.slice().order(ByteOrder.LITTLE_ENDIAN);
    this.starts = starts.slice().order(ByteOrder.LITTLE_ENDIAN);
    this.table = table.slice().order(ByteOrder.LITTLE_ENDIAN);
    this.slots = this.table.limit() / SLOT_BYTES;
    check();
  }

  private void check() {
    int before = 0;
    for (int id = 0; id <= size; id++) {
      int at = starts.getInt(4 * id);
      if (at < before || at > text.limit() || (id == 0 && at != 0)) {
        throw new IndexFormatException(
            "word "
                + id
                + " is declared to start at "
                + Integer.toUnsignedString(at)
                + ", which is not between "
                + before
                + " and "
                + text.limit());
      }
      longest = Math.max(longest, at - before);
      before = at;
    }
    if (before != text.limit()) {
      throw new IndexFormatException(
          "the words end at " + before + ", their text at " + text.limit());
    }
    int free = 0;
    for (int slot = 0; slot < slots; slot++) {
      int id = table.getInt(SLOT_BYTES * slot + 4);
      if (id == EMPTY) {
        free++;
      } else if (id <= UNKNOWN || id >= size) {
        throw new IndexFormatException(
            "place "
                + slot
                + " of the table of words holds the id "
                + Integer.toUnsignedString(id)
                + ", which is not between 1 and "
                + (size - 1));
      }
    }
    if (free == 0) {
      throw new IndexFormatException("the table of words has no free slot");
    }
  }

  /** Copies the words to native memory; see {@link MappedSection#copied()}. */
  public WordTable copied() {
    return new WordTable(
        size,
        MappedSection.copied(text),
        MappedSection.copied(starts),
        MappedSection.copied(table));
  }

  /** The number of words; ids are below it. */
  public int size() {
    return size;
  }

  /** Length in bytes of the longest word. */
  public int longest() {
    return longest;
  }

  /**
   * The id of a word.
   *
   * @param bytes bytes that contain the word
   * @param from its first byte
   * @param to the byte after its last
   * @return 0 if the word is unknown
   */
  public int id(byte[] bytes, int from, int to) {
    return id(hash(bytes, from, to), bytes, from, to);
  }

  /** The id of a word whose hash is known. */
  public int id(long hash, byte[] bytes, int from, int to) {
    int slot = (int) Hashing.home(hash, slots);
    while (true) {
      long entry = table.getLong(SLOT_BYTES * slot);
      int id = (int) (entry >>> 32);
      if (id == EMPTY) {
        return UNKNOWN;
      }
      if ((int) entry == (int) hash && isWord(id, bytes, from, to)) {
        return id;
      }
      slot = slot + 1 == slots ? 0 : slot + 1;
    }
  }

  /** The id of a word, 0 if unknown. */
  public int id(String word) {
    byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
    return id(bytes, 0, bytes.length);
  }

  /** A word's bytes. */
  public byte[] bytes(int id) {
    if (id < 0 || id >= size) {
      throw new OperatorException("there is no word " + id + ", only " + size);
    }
    int start = starts.getInt(4 * id);
    byte[] bytes = new byte[starts.getInt(4 * id + 4) - start];
    text.get(start, bytes);
    return bytes;
  }

  /** A word as text; what is not UTF-8 becomes U+FFFD. */
  public String word(int id) {
    return new String(bytes(id), StandardCharsets.UTF_8);
  }

  /** The words' bytes, concatenated in id order; see {@code docs/formats.md}. */
  public ByteBuffer text() {
    return text.duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** The start of each word in {@link #text}, u32 each, and the end of the last. */
  public ByteBuffer starts() {
    return starts.duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** The number of slots in {@link #table}. */
  public int slots() {
    return slots;
  }

  /** The table of {u32 lower half of the hash, u32 id}. */
  public ByteBuffer table() {
    return table.duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** The total size of {@link #text}, {@link #starts} and {@link #table} in bytes. */
  public long bytes() {
    return (long) text.limit() + starts.limit() + table.limit();
  }

  private boolean isWord(int id, byte[] bytes, int from, int to) {
    int start = starts.getInt(4 * id);
    int length = to - from;
    if (starts.getInt(4 * id + 4) - start != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (text.get(start + i) != bytes[from + i]) {
        return false;
      }
    }
    return true;
  }

  /** 64-bit FNV-1a over the word's bytes, then mixed. */
  public static long hash(byte[] bytes, int from, int to) {
    long hash = FNV_BASIS;
    for (int i = from; i < to; i++) {
      hash = hashNext(hash, bytes[i]);
    }
    return Hashing.mix(hash);
  }

  /** One more byte of FNV-1a, before mixing. */
  public static long hashNext(long hash, byte next) {
    return (hash ^ (next & 0xff)) * FNV_PRIME;
  }
}
