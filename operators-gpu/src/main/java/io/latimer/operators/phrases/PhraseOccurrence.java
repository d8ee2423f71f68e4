package io.latimer.operators.phrases;

import io.latimer.operators.phrases.index.PhraseIndexException;
import io.latimer.operators.phrases.index.PhraseSections;
import io.latimer.operators.phrases.index.Segment;

/**
 * Extracts the translation of one occurrence of a phrase (Algorithm 2 of He, Lin and Lopez 2013):
 * the target words from the first to the last that the phrase is linked to, if what these are
 * linked to begins and ends with the phrase. Not thread-safe.
 */
final class PhraseOccurrence {
  private final Segment segment;
  private final PhraseOptions options;
  private int target; // position of the target phrase's first word, once projected
  private int words; // of the target phrase

  PhraseOccurrence(Segment segment, PhraseOptions options) {
    this.segment = segment;
    this.options = options;
  }

  /** Takes the translations of an occurrence. */
  @FunctionalInterface
  interface Targets {
    /**
     * Takes a translation.
     *
     * @param position of the target phrase's first word
     * @param words of the target phrase
     */
    void add(int position, int words);
  }

  /**
   * Extracts the translations of the phrase: one, or with loose edges one for each way to extend it
   * over unaligned words.
   *
   * @param position of its first word
   * @param phraseWords number of its words, which must be of one sentence
   */
  ExtractionOutcome extract(int position, int phraseWords, Targets targets) {
    ExtractionOutcome outcome = project(position, phraseWords);
    if (outcome == ExtractionOutcome.EXTRACTED) {
      int before = options.loose() ? unalignedBefore() : 0;
      int after = options.loose() ? unalignedAfter() : 0;
      for (int left = 0; left <= before; left++) {
        int most = Math.min(after, options.extension(words + left));
        for (int right = 0; right <= most; right++) {
          targets.add(target - left, words + left + right);
        }
      }
    }
    return outcome;
  }

  /** Projects the phrase to the target side and back. */
  private ExtractionOutcome project(int position, int phraseWords) {
    long begin = segment.extent(position);
    if (!isInOneSentence(position, begin, phraseWords)) {
      throw PhraseIndexException.corrupt(
          "a phrase of "
              + phraseWords
              + " words at position "
              + position
              + " does not end in its sentence");
    }
    int end = position + phraseWords;
    int first = Segment.first(begin);
    int last = Segment.last(begin);
    for (int i = position + 1; i < end; i++) {
      long extent = segment.extent(i);
      first = Math.min(first, Segment.first(extent));
      last = Math.max(last, Segment.last(extent));
    }
    if (first > last) {
      return ExtractionOutcome.UNALIGNED;
    }
    int place = Segment.place(begin);
    target = segment.targetStart(position - place) + first;
    words = last - first + 1;
    int backFirst = Integer.MAX_VALUE;
    int backLast = 0;
    for (int i = target; i < target + words; i++) {
      int extent = segment.targetExtent(i);
      backFirst = Math.min(backFirst, Segment.first(extent));
      backLast = Math.max(backLast, Segment.last(extent));
    }
    if (backFirst < place || backLast >= place + phraseWords) {
      return ExtractionOutcome.INCONSISTENT;
    }
    boolean tight = backFirst == place && backLast == place + phraseWords - 1;
    if (!tight && !options.loose()) {
      return ExtractionOutcome.LOOSE;
    }
    return options.isTooLong(words) ? ExtractionOutcome.TOO_LONG : ExtractionOutcome.EXTRACTED;
  }

  /** Whether a phrase stays in its sentence, in case a corrupt index would lead out of it. */
  private boolean isInOneSentence(int position, long begin, int phraseWords) {
    if (phraseWords > segment.sourceLength() - position) {
      return false;
    }
    long last = segment.extent(position + phraseWords - 1);
    return !Segment.isSentenceEnd(last)
        && Segment.place(last) - Segment.place(begin) == phraseWords - 1;
  }

  /** Unaligned words by which the target phrase can be extended to the left. */
  private int unalignedBefore() {
    int most = options.extension(words);
    int size = 0;
    while (size < most && size < target && isUnalignedWord(target - size - 1)) {
      size++;
    }
    return size;
  }

  /** Unaligned words by which the target phrase can be extended to the right. */
  private int unalignedAfter() {
    int most = options.extension(words);
    int size = 0;
    while (size < most && isUnalignedWord(target + words + size)) {
      size++;
    }
    return size;
  }

  private boolean isUnalignedWord(int at) {
    return segment.target(at) != PhraseSections.END && !Segment.isAligned(segment.targetExtent(at));
  }
}
