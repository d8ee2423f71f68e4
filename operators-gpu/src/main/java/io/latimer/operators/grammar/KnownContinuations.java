package io.latimer.operators.grammar;

import io.latimer.operators.grammar.NextWords.Continuation;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Continuations of sentences that leave a grammar at one of their first words: it depends on no
 * later word, and many sentences of a feed, such as the alternatives of a translation, have these
 * words in common. Thread-safe.
 */
final class KnownContinuations {
  /** Longer beginnings are seldom met twice. */
  private static final int MOST_WORDS = 8;

  /** Above this number, all are forgotten. */
  private static final int MOST = 1 << 14;

  /** By the first words of a sentence, up to the one with which it leaves the grammar. */
  private final Map<IntBuffer, Continuation> known = new ConcurrentHashMap<>();

  /** The continuation of a sentence, given by its terminals; null if it is not known. */
  Continuation of(int[] sentence) {
    Continuation found = null;
    for (int words = 1; words <= Math.min(sentence.length, MOST_WORDS) && found == null; words++) {
      found = known.get(IntBuffer.wrap(sentence, 0, words));
    }
    return found;
  }

  /** Remembers the continuation of a sentence. */
  void add(int[] sentence, Continuation found) {
    int words = found.viable() + 1;
    if (words <= Math.min(sentence.length, MOST_WORDS)) {
      if (known.size() >= MOST) {
        known.clear();
      }
      known.put(IntBuffer.wrap(Arrays.copyOf(sentence, words)), found);
    }
  }
}
