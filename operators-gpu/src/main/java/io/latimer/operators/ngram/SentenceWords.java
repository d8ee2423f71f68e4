package io.latimer.operators.ngram;

import io.latimer.operators.RecordException;
import io.latimer.operators.util.Hashing;
import io.latimer.operators.util.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The words of a sentence, split as by {@link WordIds#split}: where each begins and ends in the
 * sentence's UTF-8 bytes. They are encoded and split when they are first needed; operators that get
 * the same object share that. Thread-safe.
 */
public final class SentenceWords {
  private final String text;

  // threads that need one of them at the same time make it twice, with the same content
  private volatile byte[] utf8;
  private volatile int[] bounds;
  private volatile Boolean wellFormed;
  private volatile List<String> strings; // of a text that its bytes do not give back

  /**
   * Makes the words of a sentence.
   *
   * @param text any text; unpaired surrogates become question marks in the bytes
   */
  public SentenceWords(String text) {
    this.text = text;
  }

  /** The words of sentences. */
  public static List<SentenceWords> of(List<String> sentences) {
    return sentences.stream().map(SentenceWords::new).toList();
  }

  /** The sentence. */
  public String text() {
    return text;
  }

  /** The sentence in UTF-8; must not be changed. */
  public byte[] utf8() {
    byte[] bytes = utf8;
    if (bytes == null) {
      bytes = text.getBytes(StandardCharsets.UTF_8);
      utf8 = bytes;
    }
    return bytes;
  }

  /**
   * The error in a sentence with too many words.
   *
   * @param most that are allowed
   * @param use what is done with them, such as {@code are translated}
   */
  public static RecordException tooLong(int words, int most, String use) {
    return new RecordException(
        "the sentence has "
            + words
            + " words, more than the "
            + most
            + " that "
            + use
            + "; split it");
  }

  /** Number of words. */
  public int size() {
    return bounds().length / 2;
  }

  /** The first byte of a word, from 0. */
  public int from(int word) {
    return bounds()[2 * word];
  }

  /** The byte after a word's last. */
  public int to(int word) {
    return bounds()[2 * word + 1];
  }

  /** A word, as it is in the sentence. */
  public String word(int word) {
    return isWellFormed()
        ? new String(utf8(), from(word), to(word) - from(word), StandardCharsets.UTF_8)
        : strings().get(word);
  }

  /** All words. */
  public String[] words() {
    return WordIds.split(text).toArray(String[]::new);
  }

  /**
   * Some words, separated by spaces.
   *
   * @param first number of the first word
   * @param end number of the word after the last
   */
  public String words(int first, int end) {
    if (!isWellFormed()) {
      return String.join(" ", strings().subList(first, end));
    }
    byte[] bytes = utf8();
    byte[] joined = new byte[to(end - 1) - from(first)];
    int size = 0;
    for (int word = first; word < end; word++) {
      if (word > first) {
        joined[size++] = ' ';
      }
      int length = to(word) - from(word);
      System.arraycopy(bytes, from(word), joined, size, length);
      size += length;
    }
    return new String(joined, 0, size, StandardCharsets.UTF_8);
  }

  /** Per word, the place of the first word of the sentence that is equal to it. */
  public int[] firstPlaces() {
    return isWellFormed() ? firstPlacesOfBytes() : firstPlacesOfStrings();
  }

  private int[] firstPlacesOfBytes() {
    byte[] bytes = utf8();
    int[] firsts = new int[size()];
    int[] slots = new int[Integer.highestOneBit(firsts.length | 1) << 2]; // place plus 1; 0 if free
    for (int word = 0; word < firsts.length; word++) {
      int hash = 0;
      for (int i = from(word); i < to(word); i++) {
        hash = 31 * hash + bytes[i];
      }
      int slot = (int) Hashing.mix(hash) & (slots.length - 1);
      while (slots[slot] != 0 && !equal(bytes, slots[slot] - 1, word)) {
        slot = (slot + 1) & (slots.length - 1);
      }
      slots[slot] = slots[slot] == 0 ? word + 1 : slots[slot];
      firsts[word] = slots[slot] - 1;
    }
    return firsts;
  }

  private boolean equal(byte[] bytes, int word, int other) {
    return Arrays.equals(bytes, from(word), to(word), bytes, from(other), to(other));
  }

  private int[] firstPlacesOfStrings() {
    Map<String, Integer> places = new HashMap<>();
    List<String> words = strings();
    int[] firsts = new int[words.size()];
    for (int word = 0; word < firsts.length; word++) {
      Integer first = places.putIfAbsent(words.get(word), word);
      firsts[word] = first == null ? word : first;
    }
    return firsts;
  }

  /** Whether it has no unpaired surrogates. */
  public boolean isWellFormed() {
    Boolean found = wellFormed;
    if (found == null) {
      found = Utf8.loneSurrogate(text) < 0;
      wellFormed = found;
    }
    return found;
  }

  private List<String> strings() {
    List<String> found = strings;
    if (found == null) {
      found = WordIds.split(text);
      strings = found;
    }
    return found;
  }

  private int[] bounds() {
    int[] found = bounds;
    if (found == null) {
      found = split(utf8());
      bounds = found;
    }
    return found;
  }

  /** A byte below 0x80 is a character of its own in UTF-8. */
  private static int[] split(byte[] bytes) {
    int[] bounds = new int[bytes.length + 1];
    int size = 0;
    boolean inside = false;
    for (int i = 0; i < bytes.length; i++) {
      if (WordIds.isSpace(bytes[i]) == inside) {
        bounds[size++] = i;
        inside = !inside;
      }
    }
    if (inside) {
      bounds[size++] = bytes.length;
    }
    return Arrays.copyOf(bounds, size);
  }
}
