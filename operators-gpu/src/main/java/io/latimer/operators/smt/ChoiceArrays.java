package io.latimer.operators.smt;

import io.latimer.operators.util.Team;

/** The choices of a batch in arrays, by number, as latimer_smt.h describes them. */
final class ChoiceArrays {
  /** Choices that a thread processes at a time. */
  private static final int SHARE = 1024;

  final double[] fixed;
  final double[] expected;

  /** Per choice the place of its first word; and their number. */
  final int[] wordStarts;

  /** Ids in the language model. */
  final int[] words;

  ChoiceArrays(Choice[] choices, Team team) {
    fixed = new double[choices.length];
    expected = new double[choices.length];
    wordStarts = new int[choices.length + 1];
    team.forEach(
        choices.length,
        SHARE,
        i -> {
          fixed[i] = choices[i].fixed;
          expected[i] = choices[i].expected;
          wordStarts[i + 1] = choices[i].words.length;
        });
    for (int i = 0; i < choices.length; i++) {
      wordStarts[i + 1] = Math.addExact(wordStarts[i + 1], wordStarts[i]);
    }
    words = new int[wordStarts[choices.length]];
    team.forEach(
        choices.length,
        SHARE,
        i -> {
          int[] from = choices[i].words;
          System.arraycopy(from, 0, words, wordStarts[i], from.length);
        });
  }
}
