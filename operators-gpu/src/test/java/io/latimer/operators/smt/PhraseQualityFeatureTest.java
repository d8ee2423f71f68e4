package io.latimer.operators.smt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.lm.LmSentence;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.ScoreWords;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.Phrases;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Translations of random texts, measured a second time word by word. */
class PhraseQualityFeatureTest {
  private static final int ROUNDS = 12;
  private static final double CLOSE = 1e-4; // the language model's sums have 32 bits

  @TempDir private Path folder;

  @Test
  void measuresWhatANaiveComputationMeasures() throws IOException {
    Random random = new Random(6);
    Path model = folder.resolve("target.llm");
    LanguageModels.estimate(RandomTexts.targetLines(random), model);
    int copied = 0;
    int jumping = 0;
    int repeating = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Path index = ParallelText.random(random, 40, 6, 5).index(folder, round + ".lpx");
      try (Score score = Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU);
          DecodePhrases decoder =
              new DecodePhrases(
                  Phrases.opener(new PhraseOptions(0, 3, 2, false)).open(index, Device.CPU),
                  Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU),
                  RandomTexts.weights(random),
                  new SearchOptions(20, 100, 20, 4, 3))) {
        List<SentenceWords> sentences = RandomTexts.sentences(random, 10, 12);
        List<Result<List<Derivation>>> found = decoder.apply(sentences);
        for (int i = 1; i < sentences.size(); i++) { // the first is empty
          for (Derivation one : found.get(i).orElseThrow()) {
            List<String> words = decoder.words(sentences.get(i), one);
            Naive naive = new Naive(sentences.get(i), one, words);
            naive.compare(score.words());
            copied += naive.copied > 0 ? 1 : 0;
            jumping += naive.jumped > 0 ? 1 : 0;
            repeating += naive.repeated > 0 ? 1 : 0;
          }
        }
      }
    }
    assertThat(List.of(copied, jumping, repeating)).allMatch(count -> count > 10);
  }

  /** Counts on its own what the phrases and words of a translation show. */
  private static final class Naive {
    private final Derivation translation;
    private final List<String> words;
    private final int sourceWords;
    private final Map<PhraseQualityFeature, Double> measured;
    private int copied;
    private int jumped;
    private int repeated;

    Naive(SentenceWords sentence, Derivation translation, List<String> words) {
      this.translation = translation;
      this.words = words;
      this.sourceWords = sentence.text().split(" ").length;
      this.measured = PhraseQualityFeature.measure(sentence.size(), translation, words);
      int next = 0;
      for (AppliedPhrase phrase : translation.phrases()) {
        copied += phrase.isCopied() ? 1 : 0;
        jumped += Math.abs(phrase.from() - next);
        next = phrase.from() + phrase.words();
      }
      for (int i = 0; i < words.size(); i++) {
        repeated += words.subList(0, i).contains(words.get(i)) ? 1 : 0;
      }
    }

    void compare(ScoreWords languageModel) {
      List<PhraseQualityFeature> features = new ArrayList<>(measured.keySet());
      assertThat(features).containsExactly(PhraseQualityFeature.values());
      int phrases = translation.phrases().size();
      equal(PhraseQualityFeature.LANGUAGE_MODEL, log10(languageModel) / (words.size() + 1));
      equal(PhraseQualityFeature.TRANSLATION, sum(Feature.TRANSLATION) / sourceWords);
      equal(PhraseQualityFeature.LEXICAL_TARGET, sum(Feature.LEXICAL_TARGET) / words.size());
      equal(PhraseQualityFeature.LEXICAL_SOURCE, sum(Feature.LEXICAL_SOURCE) / sourceWords);
      equal(PhraseQualityFeature.COHERENCE, sum(Feature.COHERENCE) / phrases);
      equal(PhraseQualityFeature.FREQUENCY, sum(Feature.FREQUENCY) / phrases);
      equal(PhraseQualityFeature.SINGLETONS, sum(Feature.SINGLETONS) / phrases);
      equal(PhraseQualityFeature.PHRASES, (double) phrases / sourceWords);
      equal(PhraseQualityFeature.DISTORTION, (double) jumped / sourceWords);
      equal(PhraseQualityFeature.UNKNOWN, (double) copied / sourceWords);
      double ratio = Math.log(words.size() + 1) - Math.log(sourceWords + 1);
      equal(PhraseQualityFeature.LENGTH_RATIO, ratio);
      equal(PhraseQualityFeature.LENGTH, Math.log(words.size()));
      equal(PhraseQualityFeature.REPETITION, (double) repeated / words.size());
    }

    private double sum(Feature feature) {
      return translation.feature(feature);
    }

    private double log10(ScoreWords languageModel) {
      int[] ids = words.stream().mapToInt(languageModel.model().vocabulary()::id).toArray();
      return languageModel.apply(List.of(LmSentence.of(ids))).get(0).orElseThrow().total();
    }

    private void equal(PhraseQualityFeature feature, double expected) {
      assertThat(measured.get(feature)).as(feature.key()).isCloseTo(expected, within(CLOSE));
    }
  }
}
