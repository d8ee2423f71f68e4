package io.latimer.pipelines.stages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.latimer.schemas.AlignmentPoint;
import io.latimer.schemas.Alternative;
import io.latimer.schemas.GrammarCheck;
import io.latimer.schemas.LanguageScore;
import io.latimer.schemas.PhraseTranslation;
import io.latimer.schemas.SentencePhrase;
import io.latimer.schemas.SentencePhraseTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RerankerTest {
  private static final RerankWeights NONE = new RerankWeights(0, 0, 0, 0, 0);

  private static Alternative entry(String text, double normalized) {
    return Alternative.newBuilder()
        .setText(text)
        .setScore(normalized * 4)
        .setNormalizedScore(normalized)
        .build();
  }

  private static LanguageScore score(double log10, int words) {
    return new LanguageScore("score", "alternative", log10, 10.0, 10.0, words, 0, "m", "");
  }

  private static GrammarCheck check(boolean derivable) {
    return GrammarCheck.newBuilder()
        .setStage("grammar-check")
        .setText("alternative")
        .setDerivable(derivable)
        .setWords(3)
        .setGrammarId("g")
        .build();
  }

  private static SentencePhraseTable table(String text, String... translations) {
    return SentencePhraseTable.newBuilder()
        .setStage("phrases")
        .setText(text)
        .setIndexId("i")
        .setPhrases(
            Stream.of(translations)
                .map(
                    phrase ->
                        new SentencePhrase(
                            0,
                            1,
                            "source",
                            1L,
                            1,
                            1L,
                            1.0,
                            List.of(new PhraseTranslation(phrase, 1, 1.0, 0.0, 0.0, 0, List.of()))))
                .toList())
        .build();
  }

  private static List<String> texts(List<Alternative> list) {
    return list.stream().map(Alternative::getText).toList();
  }

  @Test
  void theScoreIsTheWeightedSumOfTheFeatures() {
    Alternative first = entry("das Haus ist grün", -0.25);
    first.setLanguageScores(List.of(score(-12, 5), score(-5, 5)));
    first.setGrammarChecks(List.of(check(false)));
    Alternative second = entry("das Haus ist", -0.5);
    second.setLanguageScores(List.of(score(-8, 4), score(-4, 4)));
    second.setGrammarChecks(List.of(check(true)));
    List<AlignmentPoint> alignment = List.of(new AlignmentPoint(0, 0, 1f, 0, 3, 0, 3, 0, 0));
    second.setAlignment(alignment);
    List<SentencePhraseTable> tables =
        List.of(
            table("source", "das Haus", "ist"),
            table("translation", "grün"),
            table("source", "Haus ist blau"));
    List<Alternative> sorted =
        new Reranker(new RerankWeights(2, 0.5, 0.125, 4, -1)).sort(List.of(first, second), tables);
    assertThat(texts(sorted)).containsExactly("das Haus ist", "das Haus ist grün");
    // by hand: the model, 0.5 * log10 a word, grammar, phrases, words
    assertThat(sorted.get(0).getRerankScore())
        .isCloseTo(-1 + 0.5 * -1.5 + 0.125 + 4 - 3, within(1e-12));
    assertThat(sorted.get(1).getRerankScore())
        .isCloseTo(-0.5 + 0.5 * -1.7 + 0 + 4 * 0.75 - 4, within(1e-12));
    assertThat(sorted).extracting(Alternative::getPhraseCoverage).containsExactly(1.0, 0.75);
    assertThat(sorted).extracting(Alternative::getWords).containsExactly(3, 4);
    assertThat(sorted.get(0).getScore()).isEqualTo(-2);
    assertThat(sorted.get(0).getNormalizedScore()).isEqualTo(-0.5);
    assertThat(sorted.get(0).getAlignment()).isEqualTo(alignment);
    assertThat(sorted.get(0).getLanguageScores()).isEqualTo(second.getLanguageScores());
    assertThat(sorted.get(0).getGrammarChecks()).isEqualTo(second.getGrammarChecks());
    // the entries may be part of a checkpoint that is being written
    assertThat(first.getRerankScore()).isNull();
    assertThat(first.getWords()).isEqualTo(-1);
  }

  @Test
  void withoutWeightsTheModelsOrderStays() {
    List<Alternative> list =
        List.of(entry("c", -3), entry("", -2), entry("a b", -2.5), entry("a", -1));
    for (RerankWeights weights : List.of(NONE, new RerankWeights(0, 0.5, 1, 1, 0))) {
      List<Alternative> sorted = new Reranker(weights).sort(list, List.of());
      assertThat(texts(sorted)).isEqualTo(texts(list));
      assertThat(sorted).extracting(Alternative::getRerankScore).containsOnly(0.0);
      assertThat(sorted).extracting(Alternative::getPhraseCoverage).containsOnlyNulls();
      assertThat(sorted).extracting(Alternative::getWords).containsExactly(1, 0, 2, 1);
    }
    assertThat(new Reranker(NONE).sort(List.of(), List.of())).isEmpty();
  }

  @Test
  void anImpossibleTextIsLastUnlessItsLanguageDoesNotCount() {
    Alternative impossible = entry("impossible", -0.1);
    impossible.setLanguageScores(List.of(score(Double.NEGATIVE_INFINITY, 2)));
    Alternative possible = entry("possible", -9);
    possible.setLanguageScores(List.of(score(-200, 2)));
    List<Alternative> list = List.of(impossible, possible);
    assertThat(texts(new Reranker(new RerankWeights(1, 0.1, 0, 0, 0)).sort(list, List.of())))
        .containsExactly("possible", "impossible");
    List<Alternative> ignored =
        new Reranker(new RerankWeights(1, 0, 0, 0, 0)).sort(list, List.of());
    assertThat(ignored).extracting(Alternative::getRerankScore).containsExactly(-0.1, -9.0);
  }

  /** The sum and the order, written out. */
  private static List<Alternative> naive(
      RerankWeights weights, List<Alternative> list, List<SentencePhraseTable> tables) {
    List<Alternative> left = new ArrayList<>();
    for (Alternative entry : list) {
      Alternative scored = Alternative.newBuilder(entry).build();
      String[] words = entry.getText().isEmpty() ? new String[0] : entry.getText().split(" ");
      double coverage = coverage(words, tables);
      double language =
          entry.getLanguageScores().stream()
              .mapToDouble(s -> s.getLog10() / s.getWords())
              .average()
              .orElse(0);
      double grammar =
          entry.getGrammarChecks().stream()
              .mapToInt(c -> c.getDerivable() ? 1 : 0)
              .average()
              .orElse(0);
      scored.setWords(words.length);
      scored.setPhraseCoverage(coverage);
      scored.setRerankScore(
          weights.model() * entry.getNormalizedScore()
              + weights.language() * language
              + weights.grammar() * grammar
              + weights.phrase() * coverage
              + weights.length() * words.length);
      left.add(scored);
    }
    List<Alternative> sorted = new ArrayList<>();
    while (!left.isEmpty()) {
      Alternative best = left.get(0);
      for (Alternative entry : left) {
        best = entry.getRerankScore() > best.getRerankScore() ? entry : best;
      }
      sorted.add(best);
      left.remove(best);
    }
    return sorted;
  }

  private static double coverage(String[] words, List<SentencePhraseTable> tables) {
    boolean[] covered = new boolean[words.length];
    for (SentencePhraseTable table : tables) {
      for (SentencePhrase phrase : table.getPhrases()) {
        for (int from = 0; from < words.length; from++) {
          for (int to = from + 1; to <= words.length; to++) {
            String part = String.join(" ", List.of(words).subList(from, to));
            if (part.equals(phrase.getTranslations().get(0).getText())) {
              for (int i = from; i < to; i++) {
                covered[i] = true;
              }
            }
          }
        }
      }
    }
    long count = IntStream.range(0, words.length).filter(i -> covered[i]).count();
    return words.length == 0 ? 0 : (double) count / words.length;
  }

  @Test
  void randomListsAreSortedAsANaiveProgramSortsThem() {
    int moved = 0;
    for (int seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      List<Alternative> list =
          Stream.generate(() -> randomEntry(random)).limit(random.nextInt(9)).toList();
      List<SentencePhraseTable> tables =
          List.of(
              table("source", words(random, 1), words(random, 2)),
              table("source", words(random, 3)));
      // few distinct values, so that ties occur
      RerankWeights weights =
          new RerankWeights(
              random.nextInt(4) / 4.0,
              random.nextInt(4) / 4.0,
              random.nextInt(4) / 4.0,
              random.nextInt(4) / 4.0,
              (random.nextInt(4) - 2) / 8.0);
      List<Alternative> sorted = new Reranker(weights).sort(list, tables);
      assertThat(sorted).as("seed %d", seed).isEqualTo(naive(weights, list, tables));
      moved += texts(sorted).equals(texts(list)) ? 0 : 1;
    }
    assertThat(moved).isGreaterThan(500);
  }

  private static Alternative randomEntry(Random random) {
    Alternative entry = entry(words(random, random.nextInt(9)), -random.nextInt(8) / 8.0);
    entry.setLanguageScores(
        Stream.generate(() -> score(-random.nextInt(64), 1 << random.nextInt(3)))
            .limit(random.nextInt(3))
            .toList());
    entry.setGrammarChecks(
        Stream.generate(() -> check(random.nextBoolean())).limit(random.nextInt(3)).toList());
    return entry;
  }

  private static String words(Random random, int count) {
    return String.join(
        " ",
        Stream.generate(() -> String.valueOf((char) ('a' + random.nextInt(3))))
            .limit(count)
            .toList());
  }
}
