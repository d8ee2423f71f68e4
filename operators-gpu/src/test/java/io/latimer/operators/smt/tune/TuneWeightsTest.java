package io.latimer.operators.smt.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.quality.TrainedQuality;
import io.latimer.operators.smt.DecodePhrases;
import io.latimer.operators.smt.Derivation;
import io.latimer.operators.smt.Feature;
import io.latimer.operators.smt.FeatureWeights;
import io.latimer.operators.smt.PhraseQualityFeature;
import io.latimer.operators.smt.SearchOptions;
import io.latimer.operators.text.bleu.Bleu;
import io.latimer.operators.text.bleu.Chrf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** References are what a decoder with other weights finds: there are weights that give them. */
class TuneWeightsTest {
  private static final FeatureWeights START =
      FeatureWeights.of(new double[] {1, 0.4, 0.3, 0.3, 0.2, 0.1, 0, 0.3, 0, 0.1, 10});
  private static final FeatureWeights HIDDEN =
      FeatureWeights.of(new double[] {0.2, 1, 0.5, -0.2, 0.1, 0.3, -0.4, -0.3, 0.2, 0.3, 1});
  private static final SearchOptions SEARCH = new SearchOptions(20, 100, 20, 3, 20);
  private static final TuneOptions OPTIONS = new TuneOptions(10, 5, 1);

  @TempDir private Path folder;
  private Path index;
  private Path model;
  private Path source;
  private Path target;

  @BeforeEach
  void write() throws IOException {
    Random random = new Random(1);
    index = ParallelText.random(random, 80, 8, 7).index(folder, "x.lpx");
    List<String> text = new ArrayList<>();
    List<String> sentences = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      text.add(words(random, "t"));
      sentences.add(words(random, "s"));
    }
    model = folder.resolve("target.llm");
    LanguageModels.estimate(text, model);
    source = Files.write(folder.resolve("dev.source"), sentences);
    target = Files.write(folder.resolve("dev.target"), translate(HIDDEN, sentences));
  }

  private static String words(Random random, String prefix) {
    List<String> words = new ArrayList<>();
    for (int left = 2 + random.nextInt(8); left > 0; left--) {
      words.add(prefix + random.nextInt(9));
    }
    return String.join(" ", words);
  }

  private DecodePhrases decoder(FeatureWeights weights) {
    return new DecodePhrases(
        Phrases.opener(PhraseOptions.DEFAULT).open(index, Device.CPU),
        Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU),
        weights,
        SEARCH);
  }

  private List<String> translate(FeatureWeights weights, List<String> sentences) {
    try (DecodePhrases decoder = decoder(weights)) {
      return sentences.stream()
          .map(SentenceWords::new)
          .map(
              sentence -> {
                Derivation best = decoder.apply(List.of(sentence)).get(0).orElseThrow().get(0);
                return String.join(" ", decoder.words(sentence, best));
              })
          .toList();
    }
  }

  private List<TuneIteration> tune() {
    List<TuneIteration> iterations = new ArrayList<>();
    try (DecodePhrases decoder = decoder(START)) {
      TuneWeights tuning =
          new TuneWeights(decoder, DevelopmentSet.read(source, target), OPTIONS, step -> {});
      for (Optional<TuneIteration> i = tuning.next(); i.isPresent(); i = tuning.next()) {
        iterations.add(i.get());
      }
    }
    return iterations;
  }

  @Test
  void findsWeightsThatTranslateBetter() throws IOException {
    List<TuneIteration> iterations = tune();
    TuneIteration first = iterations.get(0);
    TuneIteration best = iterations.get(0);
    int candidates = 0;
    for (int i = 0; i < iterations.size(); i++) {
      TuneIteration one = iterations.get(i);
      assertThat(one.number()).isEqualTo(i + 1);
      candidates += one.added();
      assertThat(one.candidates()).isEqualTo(candidates);
      best = one.bleu() > best.bleu() ? one : best;
    }
    assertThat(first.weights()).isEqualTo(START);
    assertThat(best.bleu()).isGreaterThan(first.bleu() + 10);
    List<String> translations = translate(best.weights(), Files.readAllLines(source));
    assertThat(Bleu.of(translations, Files.readAllLines(target))).isEqualTo(best.bleu());
  }

  @Test
  void theSameSeedGivesTheSameWeights() {
    assertThat(tune()).isEqualTo(tune()).hasSizeGreaterThan(2);
  }

  @Test
  void aTranslationHasTheSameFeaturesUnderAllWeights() throws IOException {
    List<SentenceWords> sentences = SentenceWords.of(Files.readAllLines(source));
    int shared = 0;
    try (DecodePhrases decoder = decoder(START)) {
      Map<String, Derivation> before = derivations(decoder, sentences);
      decoder.reweight(HIDDEN);
      for (Map.Entry<String, Derivation> entry : derivations(decoder, sentences).entrySet()) {
        Derivation after = entry.getValue();
        assertThat(after.score()).isEqualTo(HIDDEN.score(after.features()));
        Derivation other = before.get(entry.getKey());
        if (other != null) {
          shared++;
          assertThat(after.features()).isEqualTo(other.features());
        }
      }
    }
    assertThat(shared).as("derivations in both n-best lists").isPositive();
  }

  /** By sentence, words and source phrases. */
  private static Map<String, Derivation> derivations(
      DecodePhrases decoder, List<SentenceWords> sentences) {
    Map<String, Derivation> derivations = new HashMap<>();
    for (int i = 0; i < sentences.size(); i++) {
      List<Derivation> found = decoder.apply(List.of(sentences.get(i))).get(0).orElseThrow();
      for (Derivation one : found) {
        StringBuilder key = new StringBuilder().append(i);
        one.phrases().forEach(phrase -> key.append(' ').append(phrase.from()));
        derivations.put(key + " " + decoder.words(sentences.get(i), one), one);
      }
    }
    return derivations;
  }

  @Test
  void aJudgeLearnsFromTheTranslationsOfTheGivenWeights() throws IOException {
    try (DecodePhrases decoder = decoder(HIDDEN)) {
      DevelopmentSet set = DevelopmentSet.read(source, target);
      DevelopmentText text = new DevelopmentText(decoder, set);
      TrainedQuality<PhraseQualityFeature> trained = text.judge(START, 50, done -> {});
      int right = 0;
      List<String> translations = translate(START, Files.readAllLines(source));
      for (int i = 0; i < translations.size(); i++) {
        right += Chrf.of(translations.get(i), set.text(i)) >= 50 ? 1 : 0;
      }
      assertThat(trained.right()).isEqualTo(right).isBetween(10, set.size() - 10);
      assertThat(trained.model().sentences()).isEqualTo(set.size());
      assertThat(trained.model().rightFrom()).isEqualTo(50);
      assertThat(text.judge(START, 50, done -> {})).isEqualTo(trained);
      assertThatThrownBy(() -> text.judge(HIDDEN, 50, done -> {}))
          .as("all are right")
          .isInstanceOf(TrainedQuality.TooFewException.class)
          .hasMessageStartingWith("there are 60 right and 0 wrong translations; ");
    }
  }

  @Test
  void sentencesWithoutWordsAreNotJudged() throws IOException {
    List<String> sentences = new ArrayList<>(Files.readAllLines(source));
    List<String> references = new ArrayList<>(Files.readAllLines(target));
    sentences.add(3, "");
    references.add(3, "t1");
    Files.write(source, sentences);
    Files.write(target, references);
    try (DecodePhrases decoder = decoder(START)) {
      DevelopmentSet set = DevelopmentSet.read(source, target);
      TrainedQuality<PhraseQualityFeature> trained =
          new DevelopmentText(decoder, set).judge(START, 50, done -> {});
      assertThat(trained.model().sentences()).isEqualTo(60);
    }
  }

  @Test
  void refusesTextsThatDoNotFit() throws IOException {
    Files.writeString(target, "t1\n");
    assertThatThrownBy(() -> DevelopmentSet.read(source, target))
        .hasMessage(
            target
                + " ends before line 2, "
                + source
                + " does not; the two files need one line per sentence pair");
    Files.writeString(source, "");
    Files.writeString(target, "");
    assertThatThrownBy(() -> DevelopmentSet.read(source, target))
        .isInstanceOf(OperatorException.class)
        .hasMessage(source + " is empty; weights are tuned on sentences");
    Files.writeString(source, "s0 ".repeat(DecodePhrases.MAX_WORDS + 1) + "\n");
    Files.writeString(target, "t0\n");
    assertThatThrownBy(this::tune)
        .hasMessageStartingWith("line 1: the sentence has 4097 words, more than the 4096");
    assertThatThrownBy(() -> new TuneOptions(0, 1, 1))
        .hasMessage("the number of iterations must be from 1 to 1000, found 0");
  }

  @Test
  void newWeightsAddUpToOne() {
    TuneIteration last = tune().get(1);
    double sum = 0;
    for (Feature feature : Feature.values()) {
      sum += Math.abs(last.weights().of(feature));
    }
    assertThat(sum).as("absolute weights").isCloseTo(1, within(1e-9));
  }
}
