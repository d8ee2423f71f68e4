package io.latimer.operators.phrases;

import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.Segment;
import java.util.List;

/** A translation of a source phrase; a view of its batch's results. */
public final class PhrasePair {
  private final SourcePhrase phrase;
  private final ExtractedPhrases batch;
  private final int pair;
  private final long extractions;

  PhrasePair(SourcePhrase phrase, ExtractedPhrases batch, int pair, long extractions) {
    this.phrase = phrase;
    this.batch = batch;
    this.pair = pair;
    this.extractions = extractions;
  }

  /** Number of the target phrase's words. */
  public int words() {
    return batch.pairs.words()[pair];
  }

  /** The target phrase: its words, separated by spaces. */
  public String text() {
    Segment segment = segment();
    int from = batch.pairs.target()[pair];
    StringBuilder text = new StringBuilder();
    for (int i = from; i < from + words(); i++) {
      text.append(i == from ? "" : " ").append(batch.index.target().word(segment.target(i)));
    }
    return text.toString();
  }

  /** The target phrase: the ids of its words in the index's target vocabulary. */
  public int[] target() {
    Segment segment = segment();
    int from = batch.pairs.target()[pair];
    int[] ids = new int[words()];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = segment.target(from + i);
    }
    return ids;
  }

  private Segment segment() {
    return batch.index.segments().get(batch.pairs.segment()[pair]);
  }

  /** Extractions that gave this translation, c(e,f): one for each sample, or each extension. */
  public int count() {
    return batch.pairs.count()[pair];
  }

  /** p(e|f) = c(e,f) / c(f), above 0 to 1. */
  public double probability() {
    return (double) count() / extractions;
  }

  /** Lexical weight of the target words given the source words: a sum of -log10, 0 or more. */
  public double lexicalTargetGivenSource() {
    return batch.pairs.targetGivenSource()[pair];
  }

  /** Lexical weight of the source words given the target words: a sum of -log10, 0 or more. */
  public double lexicalSourceGivenTarget() {
    return batch.pairs.sourceGivenTarget()[pair];
  }

  /** How many of the extractions that gave this translation are from learned pairs. */
  public int learned() {
    return phrase.learned().count(segment(), batch.pairs.target()[pair], words());
  }

  /**
   * The learned pairs that gave this translation, the newest first.
   *
   * @param most how many to name, 0 or more
   */
  public List<LearnedPair> corrections(int most) {
    return phrase.learned().pairs(segment(), batch.pairs.target()[pair], words(), most);
  }
}
