package io.latimer.operators.align;

import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * The words of one sentence of a pair, as numbers.
 *
 * @param ids in the model's vocabulary, {@link TranslationProbabilities#UNKNOWN} for those that it
 *     lacks
 * @param spellings equal for words, also of the other sentence, that are spelled the same
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Words(int[] ids, int[] spellings) {
  /**
   * Numbers the words of a sentence.
   *
   * @param numbers the spellings known so far; those of new words are added
   */
  static Words of(
      List<String> sentence, ToIntFunction<String> vocabulary, Map<String, Integer> numbers) {
    int[] ids = sentence.stream().mapToInt(vocabulary).toArray();
    int[] spellings = new int[ids.length];
    for (int i = 0; i < ids.length; i++) {
      int next = numbers.size();
      Integer known = numbers.putIfAbsent(sentence.get(i), next);
      spellings[i] = known == null ? next : known;
    }
    return new Words(ids, spellings);
  }

  int size() {
    return ids.length;
  }

  int id(int place) {
    return ids[place];
  }

  int spelling(int place) {
    return spellings[place];
  }
}
