package io.latimer.operators.ngram;

import io.latimer.operators.OperatorException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * A growing dictionary: words get ids from 0 in order of first appearance.
 *
 * <p>A word is a byte string: usually UTF-8, but any bytes will do. Not thread-safe.
 */
public final class WordIds {
  private static final int FIRST_WORDS = 1 << 10; // a power of two
  private static final int MAX_WORDS = 1 << 29;
  private static final int MAX_TEXT = Integer.MAX_VALUE - 8;
  private static final long GOLDEN = 0x9E3779B97F4A7C15L; // 2^64 divided by the golden ratio

  private byte[] text = new byte[1 << 14];
  private int[] ends = new int[FIRST_WORDS]; // end of each word in the text
  private int[] table = newTable(2 * FIRST_WORDS); // ids by hash, -1 for free slots
  private int size;

  /** The number of words. */
  public int size() {
    return size;
  }

  /**
   * The id of a word, assigned if the word is new.
   *
   * @param bytes bytes that contain the word
   * @param from its first byte
   * @param to the byte after its last
   * @throws OperatorException if there is no room for another word
   */
  public int id(byte[] bytes, int from, int to) {
    int slot = slot(bytes, from, to);
    return table[slot] >= 0 ? table[slot] : add(bytes, from, to, slot);
  }

  /**
   * The id of a word, assigned if the word is new.
   *
   * @param word encoded as UTF-8: an unpaired surrogate becomes a question mark
   */
  public int id(String word) {
    byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
    return id(bytes, 0, bytes.length);
  }

  /**
   * The bytes of a word.
   *
   * @throws OperatorException if there is no such word
   */
  public byte[] bytes(int id) {
    return Arrays.copyOfRange(text, start(id), ends[id]);
  }

  /**
   * A word as text; what is not UTF-8 becomes U+FFFD.
   *
   * @throws OperatorException if there is no such word
   */
  public String word(int id) {
    int start = start(id);
    return new String(text, start, ends[id] - start, StandardCharsets.UTF_8);
  }

  /** The ids of all words, sorted by the words' unsigned bytes. */
  public int[] sorted() {
    return IntStream.range(0, size)
        .boxed()
        .sorted((a, b) -> Arrays.compareUnsigned(text, start(a), ends[a], text, start(b), ends[b]))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  /** The words by their ids; a copy. */
  public List<String> words() {
    List<String> words = new ArrayList<>(size);
    for (int id = 0; id < size; id++) {
      words.add(word(id));
    }
    return words;
  }

  /** The ids of the words of a sentence, as {@link #isCountedSpace} separates them. */
  public int[] ids(String sentence) {
    List<String> parts = split(sentence, WordIds::isCountedSpace);
    int[] out = new int[parts.size()];
    for (int i = 0; i < out.length; i++) {
      out[i] = id(parts.get(i));
    }
    return out;
  }

  /**
   * Splits at NUL, tab, line feed, vertical tab, form feed, carriage return and space, as KenLM's
   * query does.
   */
  public static List<String> split(String sentence) {
    return split(sentence, WordIds::isSpace);
  }

  private static List<String> split(String sentence, IntPredicate isSpace) {
    List<String> parts = new ArrayList<>();
    int start = -1;
    for (int i = 0; i <= sentence.length(); i++) {
      boolean space = i == sentence.length() || isSpace.test(sentence.charAt(i));
      if (space && start >= 0) {
        parts.add(sentence.substring(start, i));
        start = -1;
      } else if (!space && start < 0) {
        start = i;
      }
    }
    return parts;
  }

  /** Whether a character, or a byte of UTF-8, separates words. */
  public static boolean isSpace(int c) {
    return c == ' ' || c == 0 || (c >= '\t' && c <= '\r');
  }

  /**
   * Whether a character, or a byte of UTF-8, separates words whose n-grams are counted: NUL, tab,
   * line feed, carriage return or space, as in KenLM's lmplz. Vertical tabs and form feeds are
   * parts of words there, although KenLM's query splits at them.
   */
  public static boolean isCountedSpace(int c) {
    return c == ' ' || c == 0 || c == '\t' || c == '\n' || c == '\r';
  }

  private int start(int id) {
    if (id < 0 || id >= size) {
      throw new OperatorException("there is no word " + id + ", only " + size);
    }
    return id == 0 ? 0 : ends[id - 1];
  }

  private int add(byte[] bytes, int from, int to, int slot) {
    int length = to - from;
    int textLength = size == 0 ? 0 : ends[size - 1];
    if (size == MAX_WORDS || length > MAX_TEXT - textLength) {
      throw new OperatorException(
          "the dictionary is full: it has " + size + " words of " + textLength + " bytes");
    }
    if (length > text.length - textLength) {
      long wanted = Math.max(textLength + (long) length, 2L * text.length);
      text = Arrays.copyOf(text, (int) Math.min(wanted, MAX_TEXT));
    }
    System.arraycopy(bytes, from, text, textLength, length);
    if (size == ends.length) {
      ends = Arrays.copyOf(ends, 2 * size);
    }
    ends[size] = textLength + length;
    table[slot] = size++;
    if (size > table.length / 2) {
      grow();
    }
    return size - 1;
  }

  private void grow() {
    table = newTable(2 * table.length);
    for (int id = 0; id < size; id++) {
      table[slot(text, start(id), ends[id])] = id;
    }
  }

  /** The slot of a word's id, or the slot where to insert it. */
  private int slot(byte[] bytes, int from, int to) {
    long hash = GOLDEN;
    for (int i = from; i < to; i++) {
      hash = (hash ^ bytes[i]) * GOLDEN;
      hash ^= hash >>> 32;
    }
    int slot = (int) hash & (table.length - 1);
    while (table[slot] >= 0 && !isWord(table[slot], bytes, from, to)) {
      slot = (slot + 1) & (table.length - 1);
    }
    return slot;
  }

  private boolean isWord(int id, byte[] bytes, int from, int to) {
    return Arrays.equals(text, id == 0 ? 0 : ends[id - 1], ends[id], bytes, from, to);
  }

  private static int[] newTable(int length) {
    int[] table = new int[length];
    Arrays.fill(table, -1);
    return table;
  }
}
