package io.latimer.operators.nmt.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The target words that a sentence's translation may contain, so that the output layer need not
 * compute the others: Marian's lexical shortlist ({@code --shortlist lex.s2t FIRST BEST
 * THRESHOLD}).
 *
 * <p>A sentence's translation may contain the ids below {@link #first}, which are the most frequent
 * words and include the end token and the unknown word; the table's target words for each of its
 * source words; and, if both sides share one vocabulary, its source words themselves. The softmax
 * covers these words only.
 *
 * <p>Marian builds one shortlist for all sentences of a batch and pads it to a multiple of eight;
 * this one is per sentence, so that results never depend on the other sentences of a batch.
 * Immutable; may be shared by threads.
 */
public final class Shortlist {
  /** The end token and the unknown word must always be allowed. */
  public static final int LEAST_FIRST = 2;

  static final int HEADER = 16;
  private static final int OWN_WORDS = 1;

  private final int first;
  private final boolean ownWords;
  private final int targetWords;
  private final int[] starts;
  private final int[] words;

  private Shortlist(int first, boolean ownWords, int targetWords, int[] starts, int[] words) {
    this.first = first;
    this.ownWords = ownWords;
    this.targetWords = targetWords;
    this.starts = starts;
    this.words = words;
  }

  /**
   * Makes a shortlist.
   *
   * @param first ids below it are always allowed; 2 to {@code targetWords}
   * @param ownWords whether a sentence's source words are allowed, too; requires vocabularies of
   *     equal size
   * @param targetWords size of the target vocabulary
   * @param starts first table entry of each source word, and the end of the last; ascending from 0
   * @param words target ids from {@code first} on, strictly ascending per source word
   * @throws ModelFormatException if the numbers violate this
   */
  public static Shortlist of(
      int first, boolean ownWords, int targetWords, int[] starts, int[] words) {
    int sourceWords = starts.length - 1;
    require(
        first >= LEAST_FIRST && first <= targetWords,
        "its first words must be from " + LEAST_FIRST + " to " + targetWords + ", found " + first);
    require(
        !ownWords || sourceWords == targetWords,
        "a shared vocabulary must have one size, found "
            + sourceWords
            + " source and "
            + targetWords
            + " target words");
    require(starts[0] == 0, "the words of source id 0 begin at " + starts[0] + ", expected 0");
    for (int source = 0; source < sourceWords; source++) {
      int from = starts[source];
      int to = starts[source + 1];
      require(
          to >= from && to <= words.length,
          "the words of source id "
              + source
              + " end at "
              + to
              + ", expected "
              + from
              + " to "
              + words.length);
      int least = first;
      for (int i = from; i < to; i++) {
        require(
            words[i] >= least && words[i] < targetWords,
            "a word of source id "
                + source
                + " is "
                + Integer.toUnsignedString(words[i])
                + ", expected "
                + least
                + " to "
                + (targetWords - 1));
        least = words[i] + 1;
      }
    }
    require(
        starts[sourceWords] == words.length,
        "the words end at " + starts[sourceWords] + ", expected " + words.length);
    return new Shortlist(first, ownWords, targetWords, starts.clone(), words.clone());
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new ModelFormatException("the shortlist is damaged: " + what);
    }
  }

  /** Rejects a network whose vocabularies have other sizes. */
  void requireFor(NetworkSettings network) {
    if (network.sourceVocabulary() != sourceWords() || network.targetVocabulary() != targetWords) {
      throw new ModelFormatException(
          "the shortlist is for vocabularies of "
              + sourceWords()
              + " and "
              + targetWords
              + " words, the network's have "
              + network.sourceVocabulary()
              + " and "
              + network.targetVocabulary());
    }
  }

  /** Ids below it are always allowed. */
  public int first() {
    return first;
  }

  /** Whether a sentence's source words are allowed: both sides share one vocabulary. */
  public boolean ownWords() {
    return ownWords;
  }

  /** Size of the source vocabulary. */
  public int sourceWords() {
    return starts.length - 1;
  }

  /** The number of pairs of source and target words. */
  public int pairs() {
    return words.length;
  }

  /** For each source word the start of its words in {@link #table}, and the end of the last. */
  public IntBuffer starts() {
    return IntBuffer.wrap(starts).asReadOnlyBuffer();
  }

  /** The target words of all source words. */
  public IntBuffer table() {
    return IntBuffer.wrap(words).asReadOnlyBuffer();
  }

  /**
   * Lists the allowed target words of a sentence.
   *
   * @param sentence source ids, all within the vocabulary
   * @return target ids, strictly ascending; starts with 0 and 1
   */
  public int[] words(int[] sentence) {
    BitSet found = new BitSet(targetWords);
    found.set(0, first);
    for (int source : sentence) {
      for (int i = starts[source]; i < starts[source + 1]; i++) {
        found.set(words[i]);
      }
      if (ownWords) {
        found.set(source);
      }
    }
    return found.stream().toArray();
  }

  /** The section {@code shortlist} of a model file, as specified in {@code docs/formats.md}. */
  public byte[] toBytes() {
    int size = Math.toIntExact(HEADER + 4L * starts.length + 4L * words.length);
    ByteBuffer out = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(first).putInt(ownWords ? OWN_WORDS : 0).putInt(sourceWords()).putInt(words.length);
    out.asIntBuffer().put(starts).put(words);
    return out.array();
  }

  /**
   * Reads the section.
   *
   * @param bytes the section
   * @param sourceWords size of the model's source vocabulary
   * @param targetWords size of the model's target vocabulary
   * @throws ModelFormatException if it is not exactly such a section; sizes are checked before
   *     memory is allocated
   */
  static Shortlist fromBytes(ByteBuffer bytes, int sourceWords, int targetWords) {
    ByteBuffer in = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
    int length = in.remaining();
    require(length >= HEADER, "it has " + length + " bytes, which is less than its header");
    int first = in.getInt(0);
    int flags = in.getInt(4);
    require(flags == 0 || flags == OWN_WORDS, "its flags are " + flags + ", expected 0 or 1");
    require(
        in.getInt(8) == sourceWords,
        "it is for "
            + Integer.toUnsignedString(in.getInt(8))
            + " source words, expected "
            + sourceWords);
    long pairs = Integer.toUnsignedLong(in.getInt(12));
    long expected = HEADER + 4L * (sourceWords + 1) + 4 * pairs;
    require(length == expected, "it has " + length + " bytes, but its header requires " + expected);
    int[] starts = new int[sourceWords + 1];
    int[] words = new int[(int) pairs];
    in.position(HEADER).slice().order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(starts).get(words);
    return of(first, flags == OWN_WORDS, targetWords, starts, words);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Shortlist s
        && s.first == first
        && s.ownWords == ownWords
        && s.targetWords == targetWords
        && Arrays.equals(s.starts, starts)
        && Arrays.equals(s.words, words);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(words) + first;
  }
}
