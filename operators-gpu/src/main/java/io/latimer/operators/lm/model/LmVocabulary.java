package io.latimer.operators.lm.model;

import io.latimer.operators.OperatorException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The words of a language model, used in place where they are mapped: a word is a string of bytes,
 * found by its hash in a table of ids. Safe for use by several threads.
 */
public final class LmVocabulary {
  /** The id of every word that the model does not know; also of {@code <unk>} itself. */
  public static final int UNKNOWN = 0;

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
   * Makes a vocabulary of bytes that need not be trusted.
   *
   * @param size how many words
   * @param text the words' bytes, one behind the other, by id
   * @param starts where each begins, and where the last ends: u32 each
   * @param table places of {u32 lower half of the hash, u32 id}
   * @throws LmFormatException if a look-up could leave the bytes or never end
   */
  public LmVocabulary(int size, ByteBuffer text, ByteBuffer starts, ByteBuffer table) {
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
        throw new LmFormatException(
            "word "
                + id
                + " is said to begin at "
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
      throw new LmFormatException("the words end at " + before + ", their text at " + text.limit());
    }
    int free = 0;
    for (int slot = 0; slot < slots; slot++) {
      int id = table.getInt(SLOT_BYTES * slot + 4);
      if (id == LmSections.EMPTY) {
        free++;
      } else if (id <= UNKNOWN || id >= size) {
        throw new LmFormatException(
            "place "
                + slot
                + " of the table of words holds the id "
                + Integer.toUnsignedString(id)
                + ", which is not of 1 to "
                + (size - 1));
      }
    }
    if (free == 0) {
      throw new LmFormatException("the table of words has no place free");
    }
  }

  /** How many words there are; ids are below it. */
  public int size() {
    return size;
  }

  /** Bytes of the longest word. */
  public int longest() {
    return longest;
  }

  /**
   * The id of a word.
   *
   * @param bytes where the word is
   * @param from its first byte
   * @param to the byte after its last
   * @return 0 if the model does not know it
   */
  public int id(byte[] bytes, int from, int to) {
    return id(hash(bytes, from, to), bytes, from, to);
  }

  /** The id of a word whose hash is known. */
  public int id(long hash, byte[] bytes, int from, int to) {
    int slot = (int) LmSections.home(hash, slots);
    while (true) {
      long entry = table.getLong(SLOT_BYTES * slot);
      int id = (int) (entry >>> 32);
      if (id == LmSections.EMPTY) {
        return UNKNOWN;
      }
      if ((int) entry == (int) hash && isWord(id, bytes, from, to)) {
        return id;
      }
      slot = slot + 1 == slots ? 0 : slot + 1;
    }
  }

  /** The id of a word, 0 if the model does not know it. */
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

  /** Bytes of the words one behind the other, by id; see {@code docs/formats.md}. */
  public ByteBuffer text() {
    return text.duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Where each word begins in {@link #text}, u32 each, and where the last ends. */
  public ByteBuffer starts() {
    return starts.duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** How many places {@link #table} has. */
  public int slots() {
    return slots;
  }

  /** The table of {u32 lower half of the hash, u32 id}. */
  public ByteBuffer table() {
    return table.duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** The length of {@link #text}, {@link #starts} and {@link #table} in bytes. */
  long bytes() {
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

  /** FNV-1a of 64 bits over the word's bytes, then mixed. */
  public static long hash(byte[] bytes, int from, int to) {
    long hash = FNV_BASIS;
    for (int i = from; i < to; i++) {
      hash = hashNext(hash, bytes[i]);
    }
    return LmSections.mix(hash);
  }

  /** One byte more of FNV-1a, before it is mixed. */
  public static long hashNext(long hash, byte next) {
    return (hash ^ (next & 0xff)) * FNV_PRIME;
  }
}
