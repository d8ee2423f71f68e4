package io.latimer.operators.smt.tune;

import io.latimer.operators.text.Bleu;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The candidates of each sentence, all different, in the order in which they came. Takes some 250
 * bytes a candidate.
 */
final class CandidatePool {
  private final List<List<Candidate>> candidates = new ArrayList<>();
  private final List<Set<Candidate>> known = new ArrayList<>();
  private int size;

  /** Makes an empty pool for a number of sentences. */
  CandidatePool(int sentences) {
    for (int i = 0; i < sentences; i++) {
      candidates.add(new ArrayList<>());
      known.add(new HashSet<>());
    }
  }

  /** Adds a candidate of a sentence, if it is new. */
  void add(int sentence, Candidate candidate) {
    if (known.get(sentence).add(candidate)) {
      candidates.get(sentence).add(candidate);
      size++;
    }
  }

  /** The number of sentences. */
  int sentences() {
    return candidates.size();
  }

  /** The candidates of a sentence. */
  List<Candidate> of(int sentence) {
    return candidates.get(sentence);
  }

  /** The number of candidates of all sentences. */
  int size() {
    return size;
  }

  /** BLEU of what weights choose: each sentence's candidate with the highest score, the first. */
  double bleu(double[] weights) {
    Bleu bleu = new Bleu();
    for (List<Candidate> ofSentence : candidates) {
      Candidate best = null;
      double most = Double.NEGATIVE_INFINITY;
      for (Candidate candidate : ofSentence) {
        double score = candidate.score(weights);
        if (best == null || score > most) {
          best = candidate;
          most = score;
        }
      }
      if (best != null) {
        bleu.add(best.counts());
      }
    }
    return bleu.score();
  }
}
