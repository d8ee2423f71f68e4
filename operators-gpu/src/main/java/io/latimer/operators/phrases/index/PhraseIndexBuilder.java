package io.latimer.operators.phrases.index;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.SettingsJson;
import io.latimer.operators.index.WordTable;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.util.BuildProgress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Builds phrase indexes from a parallel text, or from an index by adding text or merging its
 * segments. Equal input gives equal bytes. Needs some 30 bytes of memory per source word and 10 per
 * target word of the segment that is sorted, and up to 90 per pair of linked words.
 */
public final class PhraseIndexBuilder {
  private static final byte[] END = new byte[0];

  private final BuildProgress progress;
  private final WordIds sourceWords = new WordIds();
  private final WordIds targetWords = new WordIds();
  private final LinkCounts links = new LinkCounts();
  private final List<SegmentSections> segments = new ArrayList<>();
  private List<TaughtPair> taughtBefore = List.of();
  private List<TaughtPair> taught = List.of();
  private long skipped;

  private PhraseIndexBuilder(BuildProgress progress) {
    this.progress = progress;
    sourceWords.id(END, 0, 0);
    targetWords.id(END, 0, 0);
  }

  /**
   * Indexes a parallel text.
   *
   * @param skipBad whether to count and skip bad lines
   * @param out the file to write; replaced if it exists
   * @param version recorded in the file; at most 64 bytes of UTF-8, may be empty
   * @throws PhraseTextException if the text cannot be read or used, naming file and line
   * @throws io.latimer.operators.index.IndexFormatException if the index cannot be written
   */
  public static PhraseIndexReport index(
      PhraseTextFiles files, boolean skipBad, Path out, String version, BuildProgress progress) {
    PhraseIndexBuilder builder = new PhraseIndexBuilder(progress);
    builder.addText(builder.read(files, skipBad));
    return builder.write(out, version);
  }

  /**
   * Adds a parallel text to an index, as a segment of its own. Segments that are small compared
   * with the new one are merged with it, so that their number stays logarithmic.
   *
   * @param index the file to add to, which is not changed
   * @param out the file to write; may be the same, which is then replaced
   * @throws io.latimer.operators.index.CorruptIndexException if the file to add to is damaged
   * @see #index
   */
  public static PhraseIndexReport append(
      Path index,
      PhraseTextFiles files,
      boolean skipBad,
      Path out,
      String version,
      BuildProgress progress) {
    return append(index, out, version, progress, builder -> builder.read(files, skipBad));
  }

  /**
   * Adds learned pairs to an index, as {@link #append(Path, PhraseTextFiles, boolean, Path, String,
   * BuildProgress)} adds a text of them. From then on they are sampled like the rest of the index:
   * phrases that occur more often than that may have other samples than when the pairs were beside
   * the index, and fewer of them from the pairs.
   *
   * @param pairs 1 or more
   * @throws PhraseTextException if there is no pair, or they do not fit into an index
   */
  public static PhraseIndexReport append(
      Path index, LearnedPairs pairs, Path out, String version, BuildProgress progress) {
    if (pairs.isEmpty()) {
      throw new PhraseTextException("there are no learned pairs to add to " + index);
    }
    return append(index, out, version, progress, builder -> builder.read(pairs));
  }

  private static PhraseIndexReport append(
      Path index,
      Path out,
      String version,
      BuildProgress progress,
      Function<PhraseIndexBuilder, SegmentText> read) {
    PhraseIndexBuilder builder = new PhraseIndexBuilder(progress);
    try (IndexFile file = IndexFile.open(index)) {
      PhraseIndex base = builder.addWords(file);
      SegmentText added = read.apply(builder);
      int kept = kept(base.segments(), added.source().length);
      SegmentText merged = merged(base.segments().subList(kept, base.segments().size()), added);
      for (int i = 0; i < kept; i++) {
        builder.segments.add(new CopiedSegment(file, i, base.segments().get(i).settings()));
      }
      builder.addText(merged);
      return builder.write(out, version);
    }
  }

  /**
   * Makes one segment of all segments of an index: the same bytes as if all text had been indexed
   * at once.
   *
   * @param index the file to read, which is not changed
   * @param out the file to write; may be the same, which is then replaced
   * @see #index
   */
  public static PhraseIndexReport merge(
      Path index, Path out, String version, BuildProgress progress) {
    PhraseIndexBuilder builder = new PhraseIndexBuilder(progress);
    try (IndexFile file = IndexFile.open(index)) {
      PhraseIndex base = builder.addWords(file);
      builder.addText(merged(base.segments(), new SegmentText()));
      return builder.write(out, version);
    }
  }

  /**
   * How many segments are kept when a text is added: those that are large compared with what
   * follows, but few enough to leave room for another.
   */
  private static int kept(List<Segment> segments, long added) {
    int kept = segments.size();
    long following = added;
    while (kept == PhraseSettings.MAX_SEGMENTS
        || (kept > 0 && 2 * following >= segments.get(kept - 1).sourceLength())) {
      following += segments.get(--kept).sourceLength();
    }
    return kept;
  }

  private static SegmentText merged(List<Segment> segments, SegmentText last) {
    if (segments.isEmpty()) {
      return last;
    }
    SegmentText merged = new SegmentText();
    segments.forEach(merged::addAll);
    merged.addAll(last);
    return merged;
  }

  /** Takes over words and links of an index, whose bytes are checked: copies get new checksums. */
  private PhraseIndex addWords(IndexFile file) {
    progress.step("checking");
    file.verify();
    PhraseIndex base = PhraseIndex.open(file);
    addAll(base.source(), sourceWords);
    addAll(base.target(), targetWords);
    base.lexicon().addTo(links);
    taughtBefore = base.taught();
    return base;
  }

  private static void addAll(PhraseVocabulary words, WordIds ids) {
    for (int id = 1; id < words.size(); id++) {
      byte[] word = words.bytes(id);
      if (ids.id(word, 0, word.length) != id) {
        throw PhraseIndexException.corrupt("the word " + words.word(id) + " has two ids");
      }
    }
  }

  private SegmentText read(PhraseTextFiles files, boolean skipBad) {
    progress.step("reading");
    SegmentText text = new SegmentText();
    try (ParallelReader reader =
        new ParallelReader(files, sourceWords::id, targetWords::id, skipBad)) {
      long reported = 0;
      for (SentencePair pair = reader.next(); pair != null; pair = reader.next()) {
        text.add(pair);
        links.add(pair);
        if (reader.bytesRead() > reported) {
          progress.read(reader.bytesRead() - reported);
          reported = reader.bytesRead();
        }
      }
      skipped = reader.skipped();
    }
    if (text.sentences() == 0) {
      throw new PhraseTextException(
          files.source() + " has no sentence pair" + (skipped == 0 ? "" : " that can be used"));
    }
    return text;
  }

  private SegmentText read(LearnedPairs pairs) {
    progress.step("reading");
    taught = pairs.taught();
    return pairs.addTo(links, sourceWords::id, targetWords::id);
  }

  private void addText(SegmentText text) {
    progress.step("sorting");
    segments.add(new IndexedText(text, sourceWords.size()));
  }

  private PhraseIndexReport write(Path out, String version) {
    progress.step("writing");
    WordTable source = AddedWords.table(sourceWords);
    WordTable target = AddedWords.table(targetWords);
    Lexicon.Sections lexicon = new Lexicon.Sections(links, source.size(), target.size());
    PhraseSettings settings =
        new PhraseSettings(
            source.size(),
            target.size(),
            source.slots(),
            target.slots(),
            lexicon.slots(),
            segments.stream().map(SegmentSections::settings).toList());
    byte[] texts = TaughtTexts.write(taughtBefore, taught);
    IndexKind kind =
        texts.length == 0
            ? PhraseIndex.KIND.written(PhraseSections.UNTAUGHT)
            : PhraseIndex.KIND.written(PhraseSections.VERSION);
    try (IndexFileWriter file = IndexFileWriter.create(out, kind, version)) {
      file.add(PhraseSections.SETTINGS, SettingsJson.write(settings));
      add(file, PhraseSections.SOURCE_VOCABULARY, source);
      add(file, PhraseSections.TARGET_VOCABULARY, target);
      file.add(PhraseSections.LEXICON_TABLE, lexicon::table);
      file.add(PhraseSections.LEXICON_SOURCE, to -> Pieces.write(lexicon.sourceLinks(), to));
      file.add(PhraseSections.LEXICON_TARGET, to -> Pieces.write(lexicon.targetLinks(), to));
      for (int i = 0; i < segments.size(); i++) {
        segments.get(i).write(file, i);
      }
      if (texts.length > 0) {
        file.add(PhraseSections.TAUGHT, texts);
      }
      file.commit();
    }
    try (IndexFile file = IndexFile.open(out)) {
      return PhraseIndexReport.of(settings, skipped, file.length());
    }
  }

  private static void add(IndexFileWriter file, String section, WordTable words) {
    file.add(section + PhraseSections.TEXT, words.text());
    file.add(section + PhraseSections.OFFSETS, words.starts());
    file.add(section + PhraseSections.TABLE, words.table());
  }
}
