package io.latimer.operators.phrases;

import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.util.Team;
import java.util.Arrays;

/** Sentences as the kernels take them: ids of words, each sentence followed by a 0. */
final class GpuPhraseText {
  /** Sentences that a thread takes at a time. */
  private static final int SHARE = 64;

  /** The ids. */
  final int[] words;

  /** Per word and per 0, the number of its sentence. */
  final int[] numbers;

  /** Per sentence, its first word; and the length of {@link #words}. */
  final int[] starts;

  /**
   * Looks up the words of sentences.
   *
   * @throws ArithmeticException if there are 2^31 words or more
   */
  GpuPhraseText(PhraseIndex index, SentenceWords[] sentences, Team team) {
    starts = new int[sentences.length + 1];
    for (int i = 0; i < sentences.length; i++) {
      starts[i + 1] = Math.addExact(starts[i], sentences[i].size() + 1);
    }
    words = new int[starts[sentences.length]];
    numbers = new int[words.length];
    team.forEach(
        sentences.length,
        SHARE,
        i -> {
          int[] ids = PhraseLookup.ids(index, sentences[i]);
          System.arraycopy(ids, 0, words, starts[i], ids.length);
          Arrays.fill(numbers, starts[i], starts[i + 1], i);
        });
  }
}
