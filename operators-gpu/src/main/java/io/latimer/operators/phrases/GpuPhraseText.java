package io.latimer.operators.phrases;

import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.util.Team;
import java.util.Arrays;

/** Sentences as the kernels take them, in one array, so that they are uploaded at once. */
final class GpuPhraseText {
  /** Sentences that a thread takes at a time. */
  private static final int SHARE = 64;

  /** The number of ids: one a word, and a 0 after each sentence. */
  final int words;

  /**
   * The ids; for each of them the number of its sentence; for each sentence its first id, and their
   * number.
   */
  final int[] all;

  /**
   * Looks up the words of sentences.
   *
   * @throws ArithmeticException if there are 2^30 words or more
   */
  GpuPhraseText(PhraseIndex index, SentenceWords[] sentences, Team team) {
    int[] starts = new int[sentences.length + 1];
    for (int i = 0; i < sentences.length; i++) {
      starts[i + 1] = Math.addExact(starts[i], sentences[i].size() + 1);
    }
    words = starts[sentences.length];
    all = new int[Math.addExact(Math.multiplyExact(2, words), starts.length)];
    System.arraycopy(starts, 0, all, 2 * words, starts.length);
    team.forEach(
        sentences.length,
        SHARE,
        i -> {
          int[] ids = PhraseLookup.ids(index, sentences[i]);
          System.arraycopy(ids, 0, all, starts[i], ids.length);
          Arrays.fill(all, words + starts[i], words + starts[i + 1], i);
        });
  }
}
