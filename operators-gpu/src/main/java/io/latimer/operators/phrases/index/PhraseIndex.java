package io.latimer.operators.phrases.index;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.MappedSection;
import io.latimer.operators.index.WordTable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An indexed parallel text, used in place where it is mapped: the suffix array of the source side,
 * the target side, the word alignment between them, and how often words are linked; and the pairs
 * that a job learned since, in memory. Immutable; shared by threads. Stays usable after the index
 * file is closed.
 */
public final class PhraseIndex implements AutoCloseable {
  /** Files of phrase indexes, {@code .lpx}. */
  public static final IndexKind KIND =
      new IndexKind(
          "phrase-index",
          PhraseSections.UNTAUGHT,
          PhraseSections.VERSION,
          file -> PhraseIndex.open(file).close());

  /** Maximum words of a sentence that is indexed or looked up. */
  public static final int MAX_SENTENCE_WORDS = SentencePair.MAX_WORDS;

  private static final long MAX_JSON = 1L << 16;
  private static final long MAX_TEXT = Integer.MAX_VALUE;

  private final String id;
  private final String version;
  private final WordTable sourceTable;
  private final WordTable targetTable;
  private final PhraseVocabulary source;
  private final PhraseVocabulary target;
  private final Lexicon lexicon;
  private final List<Segment> segments;
  private final ByteBuffer taught;
  private final LearnedPairs learned;
  private final LearnedSegment learnedSegment; // null without learned pairs
  private final PhraseIndex base; // null without learned pairs

  private PhraseIndex(
      IndexFile file,
      WordTable source,
      WordTable target,
      Lexicon lexicon,
      List<Segment> segments,
      ByteBuffer taught) {
    this.taught = taught;
    this.id = file.contentId();
    this.version = file.version();
    this.sourceTable = source;
    this.targetTable = target;
    this.source = new PhraseVocabulary(source);
    this.target = new PhraseVocabulary(target);
    this.lexicon = lexicon;
    this.segments = List.copyOf(segments);
    this.learned = LearnedPairs.none();
    this.learnedSegment = null;
    this.base = null;
  }

  private PhraseIndex(PhraseIndex base, LearnedPairs learned) {
    this.taught = base.taught;
    this.id = base.id;
    this.version = base.version;
    this.sourceTable = base.sourceTable;
    this.targetTable = base.targetTable;
    this.learned = learned;
    this.base = base;
    if (learned.isEmpty()) {
      this.source = base.source;
      this.target = base.target;
      this.lexicon = base.lexicon;
      this.segments = base.segments;
      this.learnedSegment = null;
      return;
    }
    AddedWords sourceWords = new AddedWords(sourceTable);
    AddedWords targetWords = new AddedWords(targetTable);
    LinkCounts links = new LinkCounts();
    SegmentText text = learned.addTo(links, sourceWords, targetWords);
    this.source = sourceWords.vocabulary();
    this.target = targetWords.vocabulary();
    this.lexicon = base.lexicon.with(links, source.size(), target.size());
    Segment added = new Segment(new IndexedText(text, source.size()));
    this.learnedSegment = new LearnedSegment(base.segments.size(), text, added, learned);
    List<Segment> all = new ArrayList<>(base.segments);
    all.add(added);
    this.segments = List.copyOf(all);
  }

  /**
   * This index and learned pairs: the same as an index file to which the pairs were appended as a
   * segment of their own, but in memory, beside the mapped file, and sampled separately. So phrases
   * that are not sampled have the same translations in both. Takes time and memory for the pairs,
   * and a few bytes per word of the vocabularies.
   *
   * @param pairs that this index does not have
   * @throws PhraseTextException if they do not fit: an index file could not have them either
   * @throws IllegalStateException if this index has learned pairs already
   */
  public PhraseIndex with(LearnedPairs pairs) {
    if (!learned.isEmpty()) {
      throw new IllegalStateException("the index has " + learned + "; add to its base instead");
    }
    try {
      return new PhraseIndex(this, pairs);
    } catch (IndexFormatException e) {
      throw e; // the index is at fault
    } catch (OperatorException e) {
      throw new PhraseTextException("the learned pairs do not fit: " + e.getMessage(), e);
    }
  }

  /**
   * Opens an index without trusting it: every size and every number is checked but the order of
   * suffixes and the words that they share. Where these are wrong, searches find wrong phrases or
   * end in a {@link PhraseIndexException}, but do not leave the index or loop forever. Nothing is
   * copied into memory.
   *
   * @throws IndexFormatException if it is of another kind or version, or its sections are not those
   *     of its settings
   * @throws PhraseIndexException if its content is not sound
   */
  public static PhraseIndex open(IndexFile file) {
    return open(file, MappedSection.PIECE_SHIFT);
  }

  /** Opens an index mapped in pieces of {@code 1 << pieceShift} bytes; for tests. */
  static PhraseIndex open(IndexFile file, int pieceShift) {
    PhraseSettings settings = settings(file);
    Map<String, Long> lengths = PhraseSections.lengths(settings);
    Set<String> names = new HashSet<>(lengths.keySet());
    names.add(PhraseSections.SETTINGS);
    names.add(PhraseSections.SOURCE_VOCABULARY + PhraseSections.TEXT);
    names.add(PhraseSections.TARGET_VOCABULARY + PhraseSections.TEXT);
    boolean isTaught =
        file.kindVersion() > PhraseSections.UNTAUGHT && file.has(PhraseSections.TAUGHT);
    if (isTaught) {
      names.add(PhraseSections.TAUGHT);
    }
    file.requireSections(names);
    if (isTaught) {
      file.requireLength(PhraseSections.TAUGHT, 1, TaughtTexts.MAX_BYTES);
    }
    lengths.forEach((name, length) -> file.requireLength(name, length, length));
    file.requireLength(PhraseSections.SOURCE_VOCABULARY + PhraseSections.TEXT, 0, MAX_TEXT);
    file.requireLength(PhraseSections.TARGET_VOCABULARY + PhraseSections.TEXT, 0, MAX_TEXT);
    try {
      Lexicon lexicon =
          new Lexicon(
              MappedSection.of(file, PhraseSections.LEXICON_TABLE, pieceShift),
              MappedSection.of(file, PhraseSections.LEXICON_SOURCE, pieceShift),
              MappedSection.of(file, PhraseSections.LEXICON_TARGET, pieceShift));
      List<Segment> segments = new ArrayList<>();
      for (int i = 0; i < settings.segments().size(); i++) {
        Segment segment = new Segment(file, i, settings.segments().get(i), pieceShift);
        segment.check(settings.targetWords());
        segments.add(segment);
      }
      return new PhraseIndex(
          file,
          words(file, PhraseSections.SOURCE_VOCABULARY, settings.sourceWords()),
          words(file, PhraseSections.TARGET_VOCABULARY, settings.targetWords()),
          lexicon,
          segments,
          taught(file, isTaught));
    } catch (IndexFormatException e) {
      throw new PhraseIndexException(file.path() + " is not sound: " + e.getMessage(), e);
    }
  }

  /** The texts of learned pairs, checked. */
  private static ByteBuffer taught(IndexFile file, boolean isTaught) {
    ByteBuffer texts = isTaught ? file.section(PhraseSections.TAUGHT) : ByteBuffer.allocate(0);
    TaughtTexts.read(texts);
    return texts;
  }

  /**
   * What an index contains, by its settings alone; nothing else is read.
   *
   * @throws io.latimer.operators.index.IndexFormatException if it is of another kind or version
   * @throws PhraseIndexException if its settings are not sound
   */
  public static PhraseIndexReport report(IndexFile file) {
    return PhraseIndexReport.of(settings(file), 0, file.length());
  }

  private static PhraseSettings settings(IndexFile file) {
    file.expect(KIND);
    file.requireLength(PhraseSections.SETTINGS, 1, MAX_JSON);
    ByteBuffer json = file.section(PhraseSections.SETTINGS);
    byte[] bytes = new byte[json.remaining()];
    json.get(bytes);
    return PhraseSettings.fromJson(file.path().toString(), bytes);
  }

  private static WordTable words(IndexFile file, String section, int words) {
    WordTable table =
        new WordTable(
            words,
            file.section(section + PhraseSections.TEXT),
            file.section(section + PhraseSections.OFFSETS),
            file.section(section + PhraseSections.TABLE));
    int length = table.bytes(PhraseSections.END).length;
    if (length > 0) {
      throw new PhraseIndexException(
          section + " has a word of " + length + " bytes at id 0, which ends sentences");
    }
    return table;
  }

  /** The content id of the index file, learned pairs aside: 64 hexadecimal digits. */
  public String id() {
    return id;
  }

  /** The producer's version of the index; may be empty. */
  public String version() {
    return version;
  }

  /** The pairs that a job learned since the file was made; none where it was opened from a file. */
  public LearnedPairs learned() {
    return learned;
  }

  /**
   * The learned pairs in the file that came with their texts, oldest first, each source once. Read
   * from the file at each call.
   */
  public List<TaughtPair> taught() {
    return TaughtTexts.read(taught);
  }

  /** Whether the file has {@link #taught} pairs. */
  public boolean isTaught() {
    return taught.hasRemaining();
  }

  /** The index without learned pairs. */
  public PhraseIndex base() {
    return base == null ? this : base;
  }

  /** The segment of the learned pairs, the last of all; null without them. */
  public LearnedSegment learnedSegment() {
    return learnedSegment;
  }

  /** The words of the source side; {@link PhraseSections#END} is the empty word. */
  public PhraseVocabulary source() {
    return source;
  }

  /** The words of the target side. */
  public PhraseVocabulary target() {
    return target;
  }

  public Lexicon lexicon() {
    return lexicon;
  }

  /** The parts of the text, oldest first, learned pairs last; 1 to 64, and these. */
  public List<Segment> segments() {
    return segments;
  }

  /** Does nothing: the memory belongs to the page cache. */
  @Override
  public void close() {}
}
