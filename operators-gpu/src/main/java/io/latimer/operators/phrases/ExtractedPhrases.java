package io.latimer.operators.phrases;

import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.index.PhraseIndex;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * The phrases of a batch of sentences and their translations, in columns. Each distinct phrase of
 * the batch is stored once; sentences refer to it. Immutable; thread-safe.
 */
final class ExtractedPhrases {
  /** The index that has the target phrases. */
  final PhraseIndex index;

  /** The words of each sentence. */
  final SentenceWords[] sentences;

  /** How they were extracted. */
  final PhraseOptions options;

  private final boolean[] refused;
  private final AtomicReferenceArray<LearnedExtractions> learned; // by phrase

  final Places places;
  final Columns phrases;
  final Pairs pairs;

  /**
   * Takes the columns, which are not copied.
   *
   * @param refused per sentence, whether it has too many phrases to be extracted
   */
  ExtractedPhrases(
      PhraseIndex index,
      SentenceWords[] sentences,
      PhraseOptions options,
      boolean[] refused,
      Places places,
      Columns phrases,
      Pairs pairs) {
    this.index = index;
    this.sentences = sentences;
    this.options = options;
    this.refused = refused;
    this.places = places;
    this.phrases = phrases;
    this.pairs = pairs;
    this.learned =
        new AtomicReferenceArray<>(index.learnedSegment() == null ? 0 : phrases.words().length);
  }

  /**
   * The extractions of a phrase that are from learned pairs; made when they are first asked for,
   * and kept for all sentences that have the phrase.
   *
   * @param ids the phrase's words
   */
  LearnedExtractions learned(int phrase, Supplier<int[]> ids) {
    if (index.learnedSegment() == null) {
      return LearnedExtractions.NONE;
    }
    LearnedExtractions found = learned.get(phrase);
    if (found == null) {
      // threads that need it at the same time make it twice, with the same content
      found =
          LearnedExtractions.of(
              index, options, ids.get(), phrases.occurrences()[phrase], phrases.samples()[phrase]);
      learned.set(phrase, found);
    }
    return found;
  }

  /** Whether a sentence has too many phrases; it has none here then. */
  boolean isRefused(int sentence) {
    return refused[sentence];
  }

  /**
   * The phrases of each sentence that occur in the index: by their first place, then by length.
   *
   * @param starts per sentence, its first entry; and the number of entries
   * @param from per entry, the place of the phrase's first word; the first such place if it is
   *     repeated
   * @param phrase per entry, the number of the phrase
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Places(int[] starts, int[] from, int[] phrase) {}

  /**
   * The distinct phrases.
   *
   * @param words length of the phrase
   * @param occurrences how often it occurs in the index
   * @param samples occurrences that were sampled
   * @param outcomes how many samples had each outcome: {@code [5 * phrase + outcome]}
   * @param pairStarts per phrase, its first pair; and the number of pairs
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Columns(
      int[] words, long[] occurrences, int[] samples, int[] outcomes, int[] pairStarts) {}

  /**
   * The translations: of each phrase the most frequent first, equally frequent ones by the ids of
   * their words.
   *
   * @param segment segment of the index that has the target phrase
   * @param target position of its first word there
   * @param words length of the target phrase
   * @param count extractions that gave this translation
   * @param targetGivenSource lexical weight: -log10, 0 or more
   * @param sourceGivenTarget lexical weight: -log10, 0 or more
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Pairs(
      byte[] segment,
      int[] target,
      int[] words,
      int[] count,
      double[] targetGivenSource,
      double[] sourceGivenTarget) {}
}
