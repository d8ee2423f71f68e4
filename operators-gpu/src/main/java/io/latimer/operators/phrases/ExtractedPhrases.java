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
        new AtomicReferenceArray<>(index.learnedSegment() == null ? 0 : phrases.words.length);
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
              index, options, ids.get(), phrases.occurrences[phrase], phrases.samples[phrase]);
      learned.set(phrase, found);
    }
    return found;
  }

  /** Whether a sentence has too many phrases; it has none here then. */
  boolean isRefused(int sentence) {
    return refused[sentence];
  }

  /** The phrases of each sentence that occur in the index: by their first place, then by length. */
  static final class Places {
    /** Per sentence, its first entry; and the number of entries. */
    final int[] starts;

    /** Per entry, the place of the phrase's first word; the first such place if it is repeated. */
    final int[] from;

    /** Per entry, the number of the phrase. */
    final int[] phrase;

    Places(int[] starts, int[] from, int[] phrase) {
      this.starts = starts;
      this.from = from;
      this.phrase = phrase;
    }
  }

  /** The distinct phrases. */
  static final class Columns {
    /** Length of the phrase. */
    final int[] words;

    /** How often it occurs in the index. */
    final long[] occurrences;

    /** Occurrences that were sampled. */
    final int[] samples;

    /** How many samples had each outcome: {@code [5 * phrase + outcome]}. */
    final int[] outcomes;

    /** Per phrase, its first pair; and the number of pairs. */
    final int[] pairStarts;

    Columns(int[] words, long[] occurrences, int[] samples, int[] outcomes, int[] pairStarts) {
      this.words = words;
      this.occurrences = occurrences;
      this.samples = samples;
      this.outcomes = outcomes;
      this.pairStarts = pairStarts;
    }
  }

  /**
   * The translations: of each phrase the most frequent first, equally frequent ones by the ids of
   * their words.
   */
  static final class Pairs {
    /** Segment of the index that has the target phrase. */
    final byte[] segment;

    /** Position of its first word there. */
    final int[] target;

    /** Length of the target phrase. */
    final int[] words;

    /** Extractions that gave this translation. */
    final int[] count;

    /** Lexical weight: -log10, 0 or more. */
    final double[] targetGivenSource;

    /** Lexical weight: -log10, 0 or more. */
    final double[] sourceGivenTarget;

    Pairs(
        byte[] segment,
        int[] target,
        int[] words,
        int[] count,
        double[] targetGivenSource,
        double[] sourceGivenTarget) {
      this.segment = segment;
      this.target = target;
      this.words = words;
      this.count = count;
      this.targetGivenSource = targetGivenSource;
      this.sourceGivenTarget = sourceGivenTarget;
    }
  }
}
