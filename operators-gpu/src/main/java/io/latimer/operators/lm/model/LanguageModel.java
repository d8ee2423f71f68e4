package io.latimer.operators.lm.model;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.MappedSection;
import io.latimer.operators.index.Section;
import io.latimer.operators.index.WordTable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/**
 * A language model file, used in place where it is mapped. Immutable; shared by threads. Stays
 * usable after the index file is closed.
 */
public final class LanguageModel implements AutoCloseable {
  /** Files of language models, {@code .llm}. */
  public static final IndexKind KIND =
      new IndexKind(
          "language-model",
          LmSections.VERSION,
          LmSections.VERSION,
          file -> LanguageModel.open(file).close());

  private static final long MAX_JSON = 1L << 16;

  private final String id;
  private final String version;
  private final LmSettings settings;
  private final WordTable vocabulary;
  private final MappedSection words; // per id: unigrams, or the root of the B-trees
  private final MappedSection ngrams; // the table, or the nodes of the B-trees
  private final HashTrie table;
  private final BTrie trees;

  private LanguageModel(
      String id,
      String version,
      LmSettings settings,
      WordTable vocabulary,
      MappedSection words,
      MappedSection ngrams) {
    this.id = id;
    this.version = version;
    this.settings = settings;
    this.vocabulary = vocabulary;
    this.words = words;
    this.ngrams = ngrams;
    boolean hash = settings.layout() == LmLayout.HASH;
    this.table = hash ? new HashTrie(settings, ngrams) : null;
    this.trees = hash ? null : new BTrie(settings, words, ngrams);
  }

  /**
   * Opens a model without trusting it: every size and reference is checked, so that no search can
   * leave its sections or loop forever. Nothing is copied into memory.
   *
   * @throws io.latimer.operators.index.IndexFormatException if it is of another kind or version
   * @throws LmFormatException if its content is not sound
   */
  public static LanguageModel open(IndexFile file) {
    return open(file, MappedSection.PIECE_SHIFT);
  }

  /** Opens a model mapped in pieces of {@code 1 << pieceShift} bytes; for tests. */
  public static LanguageModel open(IndexFile file, int pieceShift) {
    file.expect(KIND);
    LmSettings settings = checkedSettings(file);
    boolean hash = settings.layout() == LmLayout.HASH;
    try {
      WordTable vocabulary =
          new WordTable(
              settings.words(),
              file.section(LmSections.WORDS),
              file.section(LmSections.WORD_STARTS),
              file.section(LmSections.WORD_TABLE));
      LanguageModel model =
          new LanguageModel(
              file.contentId(),
              file.version(),
              settings,
              vocabulary,
              MappedSection.of(file, words(hash), pieceShift),
              MappedSection.of(file, ngrams(hash), pieceShift));
      model.check();
      return model;
    } catch (LmFormatException | IndexFormatException e) {
      throw new LmFormatException(file.path() + " is not sound: " + e.getMessage(), e);
    }
  }

  /** Reads the settings, and checks that the sections are those that they say. */
  private static LmSettings checkedSettings(IndexFile file) {
    try {
      file.requireLength(LmSections.SETTINGS, 1, MAX_JSON);
      ByteBuffer json = file.section(LmSections.SETTINGS);
      byte[] bytes = new byte[json.remaining()];
      json.get(bytes);
      LmSettings settings = LmSettings.fromJson(file.path().toString(), bytes);
      boolean hash = settings.layout() == LmLayout.HASH;
      file.requireSections(
          Set.of(
              LmSections.SETTINGS,
              LmSections.WORDS,
              LmSections.WORD_STARTS,
              LmSections.WORD_TABLE,
              words(hash),
              ngrams(hash)));
      long wordBytes =
          (long) settings.words() * (hash ? LmSections.UNIGRAM_BYTES : LmSections.ROOT_BYTES);
      long tableBytes = settings.buckets() * LmSections.BUCKET_BYTES;
      long startBytes = (settings.words() + 1L) * Integer.BYTES;
      long wordTableBytes = settings.wordSlots() * WordTable.SLOT_BYTES;
      file.requireLength(LmSections.WORDS, 0, Integer.MAX_VALUE);
      file.requireLength(LmSections.WORD_STARTS, startBytes, startBytes);
      file.requireLength(LmSections.WORD_TABLE, wordTableBytes, wordTableBytes);
      file.requireLength(words(hash), wordBytes, wordBytes);
      file.requireLength(ngrams(hash), hash ? tableBytes : 0, hash ? tableBytes : Long.MAX_VALUE);
      return settings;
    } catch (IndexFormatException e) {
      throw new LmFormatException(e.getMessage(), e);
    }
  }

  private static String words(boolean hash) {
    return hash ? LmSections.UNIGRAMS : LmSections.BTREE_ROOT;
  }

  private static String ngrams(boolean hash) {
    return hash ? LmSections.HASH_TABLE : LmSections.BTREE_NODES;
  }

  private void check() {
    if (settings.layout() == LmLayout.BTREE) {
      if (ngrams.length() % Integer.BYTES != 0) {
        throw new LmFormatException("the nodes are not whole 32-bit words");
      }
      trees.check(settings);
      return;
    }
    for (int id = 0; id < settings.words(); id++) {
      HashTrie.requireNumbers(words.getLong((long) id * LmSections.UNIGRAM_BYTES), "word " + id);
    }
    table.check(settings.longer());
  }

  /** The data that a device needs: everything but the settings. */
  public static long deviceBytes(IndexFile file) {
    return file.sections().stream()
        .filter(section -> !section.name().equals(LmSections.SETTINGS))
        .mapToLong(Section::length)
        .sum();
  }

  /**
   * Copies the model from the mapped file to native memory, outside the Java heap.
   *
   * @throws OutOfMemoryError if there is no room for it
   */
  public LanguageModel copied() {
    return new LanguageModel(
        id, version, settings, vocabulary.copied(), words.copied(), ngrams.copied());
  }

  /** The content id of the model file: 64 hexadecimal digits. */
  public String id() {
    return id;
  }

  /** The producer's version of the model; may be empty. */
  public String version() {
    return version;
  }

  /** The order: words of the longest n-gram, 1 to 8. */
  public int order() {
    return settings.order();
  }

  public LmLayout layout() {
    return settings.layout();
  }

  /** N-grams per order, unigrams first, as declared by the ARPA file. */
  public List<Long> arpaCounts() {
    return settings.arpa();
  }

  /** N-grams per order, unigrams first, as stored; includes generated missing suffixes. */
  public List<Long> storedCounts() {
    return settings.stored();
  }

  public WordTable vocabulary() {
    return vocabulary;
  }

  /** The id of {@code <s>}. */
  public int beginSentence() {
    return settings.beginSentence();
  }

  /** The id of {@code </s>}. */
  public int endSentence() {
    return settings.endSentence();
  }

  /** The context of a sentence's first word: {@code <s>}; none in a model of order 1. */
  public LmState beginState() {
    if (order() == 1) {
      return LmState.NONE;
    }
    float backoff = Float.intBitsToFloat((int) (unigram(beginSentence()) >>> 32));
    return new LmState(new int[] {beginSentence()}, new float[] {backoff});
  }

  /** Number of 32-byte buckets in {@link #ngrams}; 0 in the B-tree layout. */
  public int buckets() {
    return (int) settings.buckets();
  }

  /** Maximum keys per B-tree node; 0 in the hash layout. */
  public int keysPerNode() {
    return settings.keysPerNode();
  }

  /**
   * Data per word, by id: section {@code unigrams} in the hash layout, 8 bytes each; section {@code
   * btree/root} in the B-tree layout, 16 bytes each. Little-endian.
   */
  public ByteBuffer words() {
    return words.pieces().get(0);
  }

  /**
   * The n-grams of two or more words: section {@code hash/table} or {@code btree/nodes}, in pieces
   * of 1 GiB except the last; no pieces if it is empty. Little-endian.
   */
  public List<ByteBuffer> ngrams() {
    return ngrams.pieces();
  }

  /** The size of {@link #ngrams} in bytes. */
  public long ngramBytes() {
    return ngrams.length();
  }

  /** Bytes that a device needs: {@link #words}, {@link #ngrams} and the vocabulary. */
  public long deviceBytes() {
    return words.length() + ngrams.length() + vocabulary.bytes();
  }

  /** {back-off, prob} of a word as bits, the back-off in the upper half. */
  public long unigram(int word) {
    return table == null
        ? trees.unigram(word)
        : words.getLong((long) word * LmSections.UNIGRAM_BYTES);
  }

  public HashTrie table() {
    return table;
  }

  public BTrie trees() {
    return trees;
  }

  /** Does nothing: the memory belongs to the page cache. */
  @Override
  public void close() {}
}
