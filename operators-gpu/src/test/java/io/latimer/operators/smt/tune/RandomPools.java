package io.latimer.operators.smt.tune;

import io.latimer.operators.text.bleu.BleuReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Makes pools of random words with random features. */
final class RandomPools {
  private RandomPools() {}

  /** A candidate's score along a line: its height at the start, and what a step adds. */
  record Line(double height, double slope) {}

  /**
   * Makes a pool.
   *
   * @param most candidates of a sentence
   * @param lines takes each candidate's score along the line from {@code start}
   */
  static CandidatePool pool(
      Random random,
      int sentences,
      int most,
      int features,
      double[] start,
      double[] direction,
      List<List<Line>> lines) {
    CandidatePool pool = new CandidatePool(sentences);
    for (int i = 0; i < sentences; i++) {
      String reference = words(random);
      List<Line> ofSentence = new ArrayList<>();
      for (int left = 1 + random.nextInt(most); left > 0; left--) {
        double[] values = random.doubles(features, -3, 3).toArray();
        pool.add(i, candidate(words(random), reference, values));
        ofSentence.add(new Line(dot(start, values), dot(direction, values)));
      }
      lines.add(ofSentence);
    }
    return pool;
  }

  static Candidate candidate(String words, String reference, double... features) {
    BleuReference counted = new BleuReference(List.of(reference.split(" ", -1)));
    return new Candidate(features, counted.count(List.of(words.split(" ", -1))));
  }

  private static String words(Random random) {
    List<String> words = new ArrayList<>();
    for (int left = 4 + random.nextInt(6); left > 0; left--) {
      words.add(String.valueOf((char) ('a' + random.nextInt(3))));
    }
    return String.join(" ", words);
  }

  static double dot(double[] one, double[] other) {
    double sum = 0;
    for (int i = 0; i < one.length; i++) {
      sum += one[i] * other[i];
    }
    return sum;
  }
}
