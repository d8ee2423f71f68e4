package io.latimer.operators.phrases;

import io.latimer.operators.util.ListView;
import java.util.List;

/** The phrases of one sentence that occur in the index; a view of its batch's results. */
public final class PhraseTable {
  private final ExtractedPhrases batch;
  private final int sentence;
  private final int firstNumber;

  /**
   * @param firstNumber the number of the first phrase of its part of the batch
   */
  PhraseTable(ExtractedPhrases batch, int sentence, int firstNumber) {
    this.batch = batch;
    this.sentence = sentence;
    this.firstNumber = firstNumber;
  }

  /** The distinct phrases, by their first place in the sentence, then by length. */
  public List<SourcePhrase> phrases() {
    int[] starts = batch.places.starts();
    int first = starts[sentence];
    int size = starts[sentence + 1] - first;
    return new ListView<>(size, i -> new SourcePhrase(batch, sentence, first + i, firstNumber));
  }
}
