package io.latimer.operators.phrases.index;

import io.latimer.operators.index.WordTable;
import java.nio.charset.StandardCharsets;

/**
 * The words of one side: those of the index file, used in place where they are mapped, then those
 * that only learned pairs have. Thread-safe.
 */
public final class PhraseVocabulary {
  private final WordTable base;
  private final WordTable added; // its word 0, like the base's, is the end of a sentence; or null

  /**
   * A cache of recent words as text, by their ids' lower bits. Threads may miss others' entries.
   */
  private final Text[] texts;

  /** Slots of the cache; most words of running text recur. With {@link #LONGEST}, at most 10 MB. */
  private static final int MOST_TEXTS = 1 << 16;

  /** Bytes of the longest word that is kept as text. */
  private static final int LONGEST = 64;

  private record Text(int id, String word) {}

  PhraseVocabulary(WordTable base) {
    this(base, null);
  }

  PhraseVocabulary(WordTable base, WordTable added) {
    this.base = base;
    this.added = added;
    this.texts = new Text[Math.min(MOST_TEXTS, Integer.highestOneBit(size()) << 1)];
  }

  /** The number of words; ids are below it. */
  public int size() {
    return base.size() + (added == null ? 0 : added.size() - 1);
  }

  /**
   * The id of a word.
   *
   * @param bytes bytes that contain the word
   * @param from its first byte
   * @param to the byte after its last
   * @return {@link PhraseSections#END} if the word is unknown
   */
  public int id(byte[] bytes, int from, int to) {
    long hash = WordTable.hash(bytes, from, to);
    int id = base.id(hash, bytes, from, to);
    if (id != WordTable.UNKNOWN || added == null) {
      return id;
    }
    id = added.id(hash, bytes, from, to);
    return id == WordTable.UNKNOWN ? id : base.size() - 1 + id;
  }

  /** The id of a word, {@link PhraseSections#END} if unknown. */
  public int id(String word) {
    byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
    return id(bytes, 0, bytes.length);
  }

  /** A word's bytes. */
  public byte[] bytes(int id) {
    return added == null || id < base.size() ? base.bytes(id) : added.bytes(id - base.size() + 1);
  }

  /** A word as text; what is not UTF-8 becomes U+FFFD. */
  public String word(int id) {
    int place = id & (texts.length - 1);
    Text recent = texts[place];
    if (recent != null && recent.id() == id) {
      return recent.word();
    }
    byte[] bytes = bytes(id);
    String word = new String(bytes, StandardCharsets.UTF_8);
    if (bytes.length <= LONGEST) {
      texts[place] = new Text(id, word);
    }
    return word;
  }
}
