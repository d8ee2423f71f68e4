package io.latimer.operators.phrases.index;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.MappedSection;
import java.util.List;
import java.util.function.Function;

/**
 * One part of the parallel text, searched on its own; used in place where it is mapped.
 *
 * <p>A position counts words and sentence ends of one side of the segment from 0, a place counts
 * words of a sentence from 0, and a rank counts suffixes of the source text in their order from 0.
 * Immutable and thread-safe.
 */
public final class Segment {
  static final String SOURCE = "source";
  static final String SUFFIXES = "suffixes";
  static final String PREFIXES = "prefixes";
  static final String STARTS = "starts";
  static final String EXTENTS = "extents";
  static final String TARGET = "target";
  static final String TARGET_EXTENTS = "target-extents";

  /** The sections of a segment, in the order of the file. */
  static final List<String> PARTS =
      List.of(SOURCE, SUFFIXES, PREFIXES, STARTS, EXTENTS, TARGET, TARGET_EXTENTS);

  /** The first place of a word that is not aligned; its last is 0. */
  static final char UNALIGNED = 0xFFFF;

  /** Marks extents that are the start of a target sentence; in wide ones, shifted by 32. */
  static final long SENTENCE_END = 1L << 31;

  private final PhraseSettings.Segment settings;
  private final MappedSection source;
  private final MappedSection suffixes;
  private final MappedSection prefixes;
  private final MappedSection starts;
  private final MappedSection extents;
  private final MappedSection target;
  private final MappedSection targetExtents;
  private final boolean wide;

  /** A segment of a file, which is to be checked. */
  Segment(IndexFile file, int number, PhraseSettings.Segment settings, int pieceShift) {
    this(
        settings, part -> MappedSection.of(file, PhraseSections.segment(number, part), pieceShift));
  }

  /** A segment in memory. */
  Segment(IndexedText text) {
    this(
        text.settings(),
        part -> MappedSection.inMemory(bytes(part, text.settings()), out -> text.write(part, out)));
  }

  private Segment(PhraseSettings.Segment settings, Function<String, MappedSection> sections) {
    this.settings = settings;
    this.wide = settings.wide();
    this.source = sections.apply(SOURCE);
    this.suffixes = sections.apply(SUFFIXES);
    this.prefixes = sections.apply(PREFIXES);
    this.starts = sections.apply(STARTS);
    this.extents = sections.apply(EXTENTS);
    this.target = sections.apply(TARGET);
    this.targetExtents = sections.apply(TARGET_EXTENTS);
  }

  /** The length in bytes that a section must have. */
  static long bytes(String part, PhraseSettings.Segment settings) {
    long sourceLength = settings.sourceLength();
    long targetLength = settings.targetLength();
    return switch (part) {
      case SOURCE, SUFFIXES, PREFIXES -> 4 * sourceLength;
      case STARTS -> 4 * (settings.sourceWords() + 1L);
      case EXTENTS -> (settings.wide() ? 8 : 4) * (sourceLength + 1);
      case TARGET -> 4 * targetLength;
      case TARGET_EXTENTS -> settings.wide() ? 4 * targetLength : (targetLength + 1) / 2 * 4;
      default -> throw new IllegalArgumentException(part);
    };
  }

  PhraseSettings.Segment settings() {
    return settings;
  }

  /**
   * Its sections as the kernels take them: source text, suffixes, prefix lengths, starts, extents,
   * target text and target extents.
   */
  public List<MappedSection> sections() {
    return List.of(source, suffixes, prefixes, starts, extents, target, targetExtents);
  }

  /** Whether its extents are wide: places in sentences take two bytes instead of one. */
  public boolean isWide() {
    return wide;
  }

  /** Source words and sentence ends. */
  public int sourceLength() {
    return settings.sourceLength();
  }

  /** Target words and sentence ends. */
  public int targetLength() {
    return settings.targetLength();
  }

  /** The word at a position of the source text; {@link PhraseSections#END} after a sentence. */
  public int source(int position) {
    return source.getInt(4L * position);
  }

  /** The word at a position of the target text; {@link PhraseSections#END} after a sentence. */
  public int target(int position) {
    return target.getInt(4L * position);
  }

  /** The position where the suffix of a rank starts. */
  public int suffix(int rank) {
    return suffixes.getInt(4L * rank);
  }

  /** The {@link PrefixLengths} of a rank. */
  int prefixLengths(int rank) {
    return prefixes.getInt(4L * rank);
  }

  /** The rank of the first suffix that starts with a word; the next word's is where they end. */
  public int start(int word) {
    return starts.getInt(4L * word);
  }

  /** Ids below this one occur in the segment; {@link #start} takes it, too. */
  public int sourceWords() {
    return settings.sourceWords();
  }

  /** The position of the target sentence whose source sentence starts at a position. */
  public int targetStart(int sentenceStart) {
    int start = wide ? extents.getInt(8L * sentenceStart) : extents.getInt(4L * sentenceStart);
    return start & Integer.MAX_VALUE;
  }

  /**
   * The alignment of a source word: {@code first | last << 16 | place << 32}. First and last are
   * the places of target words, {@link #UNALIGNED} and 0 if there are none. After a sentence it is
   * negative and has no other meaning.
   */
  public long extent(int position) {
    if (wide) {
      return extents.getLong(8L * position + 8);
    }
    int narrow = extents.getInt(4L * position + 4);
    return widen(narrow & 0xFF)
        | (narrow & 0xFF00L) << 8
        | (narrow & 0xFF0000L) << 16
        | (narrow & SENTENCE_END) << 32;
  }

  /** The alignment of a target word, without its place: {@code first | last << 16}. */
  public int targetExtent(int position) {
    if (wide) {
      return targetExtents.getInt(4L * position);
    }
    int narrow = targetExtents.getInt(2L * position & ~3) >>> ((position & 1) << 4);
    return widen(narrow & 0xFF) | (narrow & 0xFF00) << 8;
  }

  private static int widen(int first) {
    return first == 0xFF ? UNALIGNED : first;
  }

  /** Whether an {@link #extent} is that of the end of a sentence. */
  public static boolean isSentenceEnd(long extent) {
    return extent < 0;
  }

  /** The first linked place in an {@link #extent} or {@link #targetExtent}. */
  public static int first(long extent) {
    return (int) extent & 0xFFFF;
  }

  /** The last linked place. */
  public static int last(long extent) {
    return (int) (extent >>> 16) & 0xFFFF;
  }

  /** The place of a source word in its sentence. */
  public static int place(long extent) {
    return (int) (extent >>> 32) & 0xFFFF;
  }

  public static boolean isAligned(long extent) {
    return first(extent) != UNALIGNED;
  }

  /**
   * Checks every number, so that no search and no extraction can leave the segment.
   *
   * @param targetWords size of the target vocabulary
   * @throws PhraseIndexException saying which number is wrong
   */
  void check(int targetWords) {
    checkSentences(targetWords);
    checkSuffixes();
  }

  private void checkSentences(int targetWords) {
    int at = 0;
    int targetAt = 0;
    int sentences = 0;
    while (at < sourceLength()) {
      int end = at;
      while (end < sourceLength() && source(end) != PhraseSections.END) {
        require(source(end) > 0 && source(end) < sourceWords(), SOURCE, end);
        end++;
      }
      int targetEnd = targetAt;
      while (targetEnd < targetLength() && target(targetEnd) != PhraseSections.END) {
        require(target(targetEnd) > 0 && target(targetEnd) < targetWords, TARGET, targetEnd);
        targetEnd++;
      }
      require(end < sourceLength() && end - at <= SentencePair.MAX_WORDS, SOURCE, end);
      require(
          targetEnd < targetLength() && targetEnd - targetAt <= SentencePair.MAX_WORDS,
          TARGET,
          targetEnd);
      require(rawExtent(at) == rawStart(targetAt), EXTENTS, at);
      for (int i = at; i < end; i++) {
        long extent = extent(i);
        require(
            place(extent) == i - at
                && rawExtent(i + 1) >>> (wide ? 48 : 24) == 0
                && isSound(extent, targetEnd - targetAt),
            EXTENTS,
            i + 1);
      }
      for (int i = targetAt; i < targetEnd; i++) {
        require(isSound(targetExtent(i), end - at), TARGET_EXTENTS, i);
      }
      require(targetExtent(targetEnd) == UNALIGNED, TARGET_EXTENTS, targetEnd);
      sentences++;
      at = end + 1;
      targetAt = targetEnd + 1;
    }
    require(targetAt == targetLength(), TARGET, targetAt);
    require(rawExtent(at) == rawStart(targetAt), EXTENTS, at);
    require(sentences == settings.sentences(), SOURCE, sourceLength());
  }

  /** An entry of the section {@link #EXTENTS}. */
  private long rawExtent(int entry) {
    return wide ? extents.getLong(8L * entry) : extents.getInt(4L * entry) & 0xFFFFFFFFL;
  }

  private long rawStart(int targetStart) {
    return targetStart | (wide ? SENTENCE_END << 32 : SENTENCE_END);
  }

  private static boolean isSound(long extent, int words) {
    return isAligned(extent)
        ? first(extent) <= last(extent) && last(extent) < words
        : last(extent) == 0;
  }

  private void checkSuffixes() {
    int rank = 0;
    require(start(0) == 0, STARTS, 0);
    for (int word = 0; word < sourceWords(); word++) {
      int end = start(word + 1);
      require(end >= rank && end <= sourceLength(), STARTS, word + 1);
      for (; rank < end; rank++) {
        int suffix = suffix(rank);
        require(suffix >= 0 && suffix < sourceLength() && source(suffix) == word, SUFFIXES, rank);
      }
    }
    require(rank == sourceLength(), STARTS, sourceWords());
  }

  private static void require(boolean sound, String part, int at) {
    if (!sound) {
      throw new PhraseIndexException("number " + at + " of section " + part + " is wrong");
    }
  }
}
