package io.latimer.operators.smt.tune;

import io.latimer.operators.text.bleu.Bleu;
import java.util.ArrayList;
import java.util.List;

/** The candidates of all sentences. */
final class CandidatePool {
  private final List<CandidateList> lists = new ArrayList<>();
  private int size;

  /** Makes an empty pool for a number of sentences. */
  CandidatePool(int sentences) {
    for (int i = 0; i < sentences; i++) {
      lists.add(new CandidateList());
    }
  }

  /** Adds a candidate of a sentence, if it is new. */
  void add(int sentence, Candidate candidate) {
    size += lists.get(sentence).add(candidate) ? 1 : 0;
  }

  /** The number of sentences. */
  int sentences() {
    return lists.size();
  }

  /** The candidates of a sentence. */
  CandidateList of(int sentence) {
    return lists.get(sentence);
  }

  /** The number of candidates of all sentences. */
  int size() {
    return size;
  }

  /** BLEU of what weights choose: each sentence's first candidate with the highest score. */
  double bleu(double[] weights) {
    Bleu bleu = new Bleu();
    for (CandidateList candidates : lists) {
      double[] scores = candidates.scores(weights);
      int best = 0;
      for (int i = 1; i < scores.length; i++) {
        best = scores[i] > scores[best] ? i : best;
      }
      if (scores.length > 0) {
        bleu.add(candidates.counts(best));
      }
    }
    return bleu.score();
  }
}
