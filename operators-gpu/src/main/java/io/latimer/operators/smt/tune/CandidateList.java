package io.latimer.operators.smt.tune;

import io.latimer.operators.text.bleu.BleuCounts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The candidates of a sentence, all different, in the order in which they came. Takes about 350
 * bytes per candidate.
 */
final class CandidateList {
  private final Set<Candidate> known = new HashSet<>();
  private final List<BleuCounts> counts = new ArrayList<>();
  private double[] features = {}; // concatenated: searches read them often

  /** Adds a candidate, with as many features as the others; returns false if it is not new. */
  boolean add(Candidate candidate) {
    if (!known.add(candidate)) {
      return false;
    }
    double[] added = candidate.features();
    int used = counts.size() * added.length;
    if (used == features.length) {
      features = Arrays.copyOf(features, 2 * used + added.length);
    }
    System.arraycopy(added, 0, features, used, added.length);
    counts.add(candidate.counts());
    return true;
  }

  /** The number of candidates. */
  int size() {
    return counts.size();
  }

  /** What BLEU counts in a candidate. */
  BleuCounts counts(int candidate) {
    return counts.get(candidate);
  }

  /** The sum of each candidate's features times their weights. */
  double[] scores(double[] weights) {
    double[] scores = new double[size()];
    int at = 0;
    for (int i = 0; i < scores.length; i++) {
      double score = 0;
      for (double weight : weights) {
        score += weight * features[at++];
      }
      scores[i] = score;
    }
    return scores;
  }
}
