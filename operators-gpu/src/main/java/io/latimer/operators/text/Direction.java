package io.latimer.operators.text;

import java.util.Arrays;

/**
 * The languages of a sentence: the rules of their texts, and the ids that the network reads beside
 * the sentence's own. Immutable.
 */
final class Direction {
  private final String targetLanguage;
  private final SourcePreparation preparation;
  private final MosesDetokenizer detokenizer;
  private final int[] sourceStart;
  private final int[] sourceEnd;
  private final int[] targetStart;

  /**
   * @param targetLanguage a BCP 47 tag
   */
  Direction(
      String targetLanguage,
      SourcePreparation preparation,
      MosesDetokenizer detokenizer,
      int[] sourceStart,
      int[] sourceEnd,
      int[] targetStart) {
    this.targetLanguage = targetLanguage;
    this.preparation = preparation;
    this.detokenizer = detokenizer;
    this.sourceStart = sourceStart;
    this.sourceEnd = sourceEnd;
    this.targetStart = targetStart;
  }

  String targetLanguage() {
    return targetLanguage;
  }

  SourcePreparation preparation() {
    return preparation;
  }

  MosesDetokenizer detokenizer() {
    return detokenizer;
  }

  /** The number of ids before a sentence's own. */
  int leading() {
    return sourceStart.length;
  }

  /** The number of ids before those of a translation's text. */
  int targetLeading() {
    return targetStart.length;
  }

  /** What the network reads of a sentence with these tokens. */
  int[] source(int[] tokens) {
    int[] ids = Arrays.copyOf(sourceStart, sourceStart.length + tokens.length + sourceEnd.length);
    System.arraycopy(tokens, 0, ids, sourceStart.length, tokens.length);
    System.arraycopy(sourceEnd, 0, ids, sourceStart.length + tokens.length, sourceEnd.length);
    return ids;
  }

  /** What translations begin with that begin with these tokens. */
  int[] target(int[] prefix) {
    int[] ids = Arrays.copyOf(targetStart, targetStart.length + prefix.length);
    System.arraycopy(prefix, 0, ids, targetStart.length, prefix.length);
    return ids;
  }
}
