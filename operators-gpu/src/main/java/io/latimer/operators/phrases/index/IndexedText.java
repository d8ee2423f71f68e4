package io.latimer.operators.phrases.index;

import io.latimer.operators.index.IndexFileWriter;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** The sections of a segment, made of its text. */
final class IndexedText implements SegmentSections {
  private final SegmentText text;
  private final PhraseSettings.Segment settings;
  private final int[] suffixes;
  private final int[] starts;

  /**
   * Sorts a text.
   *
   * @param sourceWords size of the source vocabulary
   */
  IndexedText(SegmentText text, int sourceWords) {
    this.text = text;
    SegmentText.Half source = text.source();
    settings =
        new PhraseSettings.Segment(
            text.sentences(), source.length, text.target().length, sourceWords, text.isWide());
    source.trim();
    text.target().trim();
    suffixes = SuffixArray.of(source.words, sourceWords);
    starts = new int[sourceWords + 1];
    for (int word : source.words) {
      starts[word + 1]++;
    }
    for (int word = 0; word < sourceWords; word++) {
      starts[word + 1] += starts[word];
    }
  }

  @Override
  public PhraseSettings.Segment settings() {
    return settings;
  }

  @Override
  public void write(IndexFileWriter out, int number) {
    for (String part : Segment.PARTS) {
      out.add(PhraseSections.segment(number, part), pieces -> write(part, pieces));
    }
  }

  /** Writes one of the {@link Segment#PARTS}. */
  void write(String part, Consumer<ByteBuffer> out) {
    int[] words = text.source().words;
    switch (part) {
      case Segment.SOURCE -> Pieces.write(words, out);
      case Segment.SUFFIXES -> Pieces.write(suffixes, out);
      case Segment.PREFIXES -> Pieces.write(PrefixLengths.of(words, suffixes, starts), out);
      case Segment.STARTS -> Pieces.write(starts, out);
      case Segment.EXTENTS -> writeExtents(out);
      case Segment.TARGET -> Pieces.write(text.target().words, out);
      case Segment.TARGET_EXTENTS -> writeTargetExtents(out);
      default -> throw new IllegalArgumentException(part);
    }
  }

  /** The start of the first target sentence; then, for the end of a sentence, the next start. */
  private void writeExtents(Consumer<ByteBuffer> out) {
    SegmentText.Half source = text.source();
    Pieces pieces = new Pieces(out);
    int targetStart = 0;
    int place = 0;
    put(pieces, targetStart);
    for (int i = 0; i < source.length; i++) {
      if (source.words[i] == PhraseSections.END) {
        targetStart = endOfSentence(targetStart) + 1;
        place = 0;
        put(pieces, targetStart);
      } else if (settings.wide()) {
        pieces.putLong(source.first[i] | (long) source.last[i] << 16 | (long) place++ << 32);
      } else {
        pieces.putInt((source.first[i] & 0xFF) | source.last[i] << 8 | place++ << 16);
      }
    }
    pieces.end();
  }

  private void put(Pieces pieces, int targetStart) {
    if (settings.wide()) {
      pieces.putLong(Segment.SENTENCE_END << 32 | targetStart);
    } else {
      pieces.putInt((int) Segment.SENTENCE_END | targetStart);
    }
  }

  private int endOfSentence(int at) {
    int end = at;
    while (text.target().words[end] != PhraseSections.END) {
      end++;
    }
    return end;
  }

  private void writeTargetExtents(Consumer<ByteBuffer> out) {
    SegmentText.Half target = text.target();
    Pieces pieces = new Pieces(out);
    if (settings.wide()) {
      for (int i = 0; i < target.length; i++) {
        pieces.putInt(target.first[i] | target.last[i] << 16);
      }
    } else {
      for (int i = 0; i < target.length; i += 2) {
        int next = i + 1 < target.length ? narrow(target, i + 1) : 0;
        pieces.putInt(narrow(target, i) | next << 16);
      }
    }
    pieces.end();
  }

  private static int narrow(SegmentText.Half half, int at) {
    return (half.first[at] & 0xFF) | half.last[at] << 8;
  }
}
