package io.latimer.pipelines.stages;

import io.latimer.operators.ngram.WordIds;
import io.latimer.schemas.Alternative;
import io.latimer.schemas.GrammarCheck;
import io.latimer.schemas.LanguageScore;
import io.latimer.schemas.SentencePhraseTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Sorts n-best lists by a weighted sum of their entries' features. */
record Reranker(RerankWeights weights) {
  private static final Comparator<Alternative> HIGHEST_FIRST =
      Comparator.comparing(Alternative::getRerankScore).reversed();

  /**
   * Sorts a list. A missing feature counts as 0.
   *
   * @param list in the order of the model; it and its entries are not changed
   * @param tables the record's phrase tables
   * @return copies of the entries with their features and scores, the highest score first; entries
   *     of equal scores keep their order
   */
  List<Alternative> sort(List<Alternative> list, List<SentencePhraseTable> tables) {
    Optional<TargetPhrases> phrases = TargetPhrases.ofSource(tables);
    List<Alternative> sorted = new ArrayList<>(list.size());
    for (Alternative entry : list) {
      List<String> words = WordIds.split(entry.getText());
      Double coverage = phrases.map(known -> known.coverage(words)).orElse(null);
      sorted.add(
          new Alternative(
              entry.getText(),
              entry.getScore(),
              entry.getNormalizedScore(),
              entry.getLanguageScores(),
              entry.getGrammarChecks(),
              coverage,
              words.size(),
              score(entry, coverage, words.size()),
              entry.getAlignment()));
    }
    sorted.sort(HIGHEST_FIRST);
    return sorted;
  }

  private double score(Alternative entry, Double coverage, int words) {
    return term(weights.model(), entry.getNormalizedScore())
        + term(weights.language(), perWord(entry.getLanguageScores()))
        + term(weights.grammar(), derivable(entry.getGrammarChecks()))
        + term(weights.phrase(), coverage == null ? 0 : coverage)
        + term(weights.length(), words);
  }

  /** A term of the sum; with weight 0 the feature may be infinite. */
  private static double term(double weight, double feature) {
    return weight == 0 ? 0 : weight * feature;
  }

  private static double perWord(List<LanguageScore> scores) {
    double sum = 0;
    for (LanguageScore score : scores) {
      sum += score.getLog10() / score.getWords();
    }
    return scores.isEmpty() ? 0 : sum / scores.size();
  }

  private static double derivable(List<GrammarCheck> checks) {
    int derivable = 0;
    for (GrammarCheck check : checks) {
      derivable += check.getDerivable() ? 1 : 0;
    }
    return checks.isEmpty() ? 0 : (double) derivable / checks.size();
  }
}
