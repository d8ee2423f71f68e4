package io.latimer.operators.phrases;

import io.latimer.operators.phrases.index.PhraseIndex;

/**
 * The phrases of a batch of sentences and their translations, in columns. Each distinct phrase of
 * the batch stands once; sentences refer to it. Immutable; thread-safe.
 *
 * @param index where target phrases stand
 * @param sentences the words of each sentence
 * @param places where sentences have phrases
 * @param phrases the distinct phrases
 * @param pairs their translations
 */
record ExtractedPhrases(
    PhraseIndex index, String[][] sentences, Places places, Columns phrases, Pairs pairs) {

  /**
   * The phrases of each sentence that occur in the index: by their first place, then by length.
   *
   * @param starts per sentence, its first entry; and the number of entries
   * @param from place of the phrase's first word; where a phrase is repeated, the first such place
   * @param phrase number of the phrase
   */
  record Places(int[] starts, int[] from, int[] phrase) {}

  /**
   * The distinct phrases.
   *
   * @param words of the phrase
   * @param occurrences in the index
   * @param samples occurrences that were looked at
   * @param outcomes of the samples: {@code [5 * phrase + outcome]}
   * @param pairStarts per phrase, its first pair; and the number of pairs
   */
  record Columns(
      int[] words, long[] occurrences, int[] samples, int[] outcomes, int[] pairStarts) {}

  /**
   * The translations: of each phrase the most frequent first, equally frequent ones by the ids of
   * their words.
   *
   * @param segment of the index where the target phrase stands
   * @param target position of its first word there
   * @param words of the target phrase
   * @param count samples that gave this translation
   * @param targetGivenSource lexical weight: -log10, 0 or more
   * @param sourceGivenTarget lexical weight: -log10, 0 or more
   */
  record Pairs(
      byte[] segment,
      int[] target,
      int[] words,
      int[] count,
      double[] targetGivenSource,
      double[] sourceGivenTarget) {}
}
