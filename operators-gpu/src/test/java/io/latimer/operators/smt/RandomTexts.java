package io.latimer.operators.smt;

import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.phrases.index.LearnedPairs;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random sentences and weights for the tests of both searches. */
final class RandomTexts {
  private RandomTexts() {}

  /**
   * Sentences of a random parallel text's source words and an unknown one; the first is empty, the
   * second unknown.
   *
   * @param size how many there are besides these
   * @param longest words of the longest one
   */
  static List<SentenceWords> sentences(Random random, int size, int longest) {
    List<SentenceWords> sentences = new ArrayList<>();
    sentences.add(new SentenceWords(""));
    sentences.add(new SentenceWords("unknown"));
    for (int i = 0; i < size; i++) {
      List<String> words = new ArrayList<>();
      for (int left = 1 + random.nextInt(longest); left > 0; left--) {
        words.add(random.nextInt(8) == 0 ? "unknown" : "s" + random.nextInt(4));
      }
      sentences.add(new SentenceWords(String.join(" ", words)));
    }
    return sentences;
  }

  /** Target words in any order, some frequent and some seen once, to estimate a model of. */
  static List<String> targetLines(Random random) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      List<String> words = new ArrayList<>();
      for (int left = 1 + random.nextInt(6); left > 0; left--) {
        words.add("t" + (int) Math.pow(200, random.nextDouble() * random.nextDouble()));
      }
      lines.add(String.join(" ", words));
    }
    return lines;
  }

  /** Pairs of a random parallel text's words and more, some of which the lines above lack. */
  static LearnedPairs learned(Random random) {
    return ParallelText.random(random, 1 + random.nextInt(6), 6, 4).learned(0);
  }

  static FeatureWeights weights(Random random) {
    double[] weights = new double[Feature.COUNT];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = random.nextInt(6) == 0 ? -random.nextDouble() : random.nextDouble();
    }
    return FeatureWeights.of(weights);
  }
}
