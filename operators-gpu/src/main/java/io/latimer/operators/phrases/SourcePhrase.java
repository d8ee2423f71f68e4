package io.latimer.operators.phrases;

import io.latimer.operators.util.ListView;
import java.util.List;

/** A phrase of a sentence that occurs in the index; a view of its batch's results. */
public final class SourcePhrase {
  private final ExtractedPhrases batch;
  private final int sentence;
  private final int from;
  private final int phrase;
  private final int firstNumber;

  SourcePhrase(ExtractedPhrases batch, int sentence, int entry, int firstNumber) {
    this.batch = batch;
    this.sentence = sentence;
    this.from = batch.places.from()[entry];
    this.phrase = batch.places.phrase()[entry];
    this.firstNumber = firstNumber;
  }

  /**
   * Its number in the batch, from 0. No other phrase of the batch has it; one that several
   * sentences have has the same in all of them, unless the batch was split because it did not fit
   * into memory.
   */
  public int number() {
    return firstNumber + phrase;
  }

  /**
   * The position of its first word in the sentence, from 0; the first such position if it is
   * repeated.
   */
  public int from() {
    return from;
  }

  /** Number of its words. */
  public int words() {
    return batch.phrases.words()[phrase];
  }

  /** Its words, separated by spaces. */
  public String text() {
    return batch.sentences[sentence].words(from, from + words());
  }

  /** How often it occurs in the index. */
  public long occurrences() {
    return batch.phrases.occurrences()[phrase];
  }

  /**
   * The number of samples: all occurrences, or {@link PhraseOptions#samples}; the sum of those from
   * the index file and those from learned pairs.
   */
  public int samples() {
    return batch.phrases.samples()[phrase];
  }

  /** The number of samples with an outcome. */
  public int outcomes(ExtractionOutcome outcome) {
    return batch.phrases.outcomes()[ExtractionOutcome.COUNT * phrase + outcome.column];
  }

  /** Successful extractions c(f): the sum of its pairs' counts. */
  public long extractions() {
    long sum = 0;
    for (int pair = firstPair(); pair < firstPair() + size(); pair++) {
      sum += batch.pairs.count()[pair];
    }
    return sum;
  }

  /** The share of the samples that have a translation, 0 to 1. */
  public double coherence() {
    return (double) outcomes(ExtractionOutcome.EXTRACTED) / samples();
  }

  /** Its translations: the most frequent first, equally frequent ones by the ids of their words. */
  public List<PhrasePair> pairs() {
    int first = firstPair();
    long extractions = extractions();
    return new ListView<>(size(), i -> new PhrasePair(this, batch, first + i, extractions));
  }

  /** Those of its extractions that are from learned pairs. */
  LearnedExtractions learned() {
    return batch.learned(
        phrase,
        () -> PhraseLookup.ids(batch.index, batch.sentences[sentence], from, from + words()));
  }

  private int firstPair() {
    return batch.phrases.pairStarts()[phrase];
  }

  private int size() {
    return batch.phrases.pairStarts()[phrase + 1] - firstPair();
  }
}
