package io.latimer.operators.smt;

import io.latimer.operators.util.Team;
import java.util.List;

/** The phrases of sentences in arrays, as latimer_smt.h describes them. */
final class LatticeArrays {
  /** Sentences that a thread processes at a time. */
  private static final int SHARE = 64;

  /** Ints of a lat_smt_phrase. */
  static final int PHRASE = 2;

  /** Longs of a lat_smt_sentence. */
  static final int SENTENCE = 2;

  /** Per sentence, word and number of words less one: the first choice, and how many there are. */
  final int[] phrases;

  /** Per sentence: its first phrase; its words and, in the upper half, those of the longest one. */
  final long[] sentences;

  /** Source words of the longest phrase of all sentences, 1 or more. */
  final int longest;

  /** Takes sentences, which have few enough phrases for an array. */
  LatticeArrays(List<Choice[][][]> lattices, Team team) {
    int[] longestOf = new int[lattices.size()];
    team.forEach(lattices.size(), SHARE, i -> longestOf[i] = longest(lattices.get(i)));
    sentences = new long[lattices.size() * SENTENCE];
    int most = 1;
    int first = 0;
    for (int i = 0; i < longestOf.length; i++) {
      int words = lattices.get(i).length;
      sentences[i * SENTENCE] = first;
      sentences[i * SENTENCE + 1] = (long) longestOf[i] << 32 | words;
      most = Math.max(most, longestOf[i]);
      first = Math.addExact(first, Math.multiplyExact(words, longestOf[i]));
    }
    longest = most;
    phrases = new int[Math.multiplyExact(first, PHRASE)];
    team.forEach(
        longestOf.length,
        SHARE,
        i -> fill(lattices.get(i), (int) sentences[i * SENTENCE], longestOf[i]));
  }

  /** Source words of the longest phrase of a sentence, 1 or more. */
  static int longest(Choice[][][] lattice) {
    int longest = 1;
    for (Choice[][] word : lattice) {
      longest = Math.max(longest, word.length);
    }
    return longest;
  }

  private void fill(Choice[][][] lattice, int first, int longest) {
    for (int from = 0; from < lattice.length; from++) {
      for (int n = 0; n < lattice[from].length; n++) {
        Choice[] choices = lattice[from][n];
        if (choices != null) {
          int at = (first + from * longest + n) * PHRASE;
          phrases[at] = choices[0].number;
          phrases[at + 1] = choices.length;
        }
      }
    }
  }
}
