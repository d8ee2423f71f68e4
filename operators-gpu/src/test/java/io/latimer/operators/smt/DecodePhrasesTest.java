package io.latimer.operators.smt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes.Lease;
import io.latimer.operators.lm.GpuLanguageModel;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.lm.LmAnswers;
import io.latimer.operators.lm.LmQueries;
import io.latimer.operators.lm.LmSentence;
import io.latimer.operators.lm.LmTexts;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.ScoreWords;
import io.latimer.operators.lm.ScoredTexts;
import io.latimer.operators.lm.WordScores;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.PhraseTable;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.util.Team;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random small texts, against {@link NaiveDecoder}, and what every search must hold to. */
class DecodePhrasesTest {
  private static final int ROUNDS = 60;
  private static final PhraseOptions SHORT = new PhraseOptions(0, 3, 2, false);
  private static final double CLOSE = 1e-4; // the language model's sums have 32 bits

  @TempDir private Path folder;
  private int files;

  /** A text, what was made of it, what was learned since, and sentences to translate. */
  private record World(
      Path index, Path model, LearnedPairs learned, List<SentenceWords> sentences) {
    Phrases phrases() {
      return Phrases.opener(SHORT, Phrases.GPU_BYTES, learned).open(index, Device.CPU);
    }
  }

  private World world(Random random, int pairs, int longest) throws IOException {
    return world(random, pairs, longest, LearnedPairs.none());
  }

  private World world(Random random, int pairs, int longest, LearnedPairs learned)
      throws IOException {
    ParallelText text =
        ParallelText.random(random, pairs, 3 + random.nextInt(3), 2 + random.nextInt(4));
    List<SentenceWords> sentences = RandomTexts.sentences(random, 6, longest);
    return new World(text.index(folder, files++ + ".lpx"), model(), learned, sentences);
  }

  /** Of target words in any order, some frequent and some seen once. */
  private Path model() throws IOException {
    Path model = folder.resolve("target.llm");
    if (!Files.exists(model)) {
      LanguageModels.estimate(RandomTexts.targetLines(new Random(5)), model);
    }
    return model;
  }

  private static DecodePhrases decoder(World world, FeatureWeights weights, SearchOptions options) {
    return new DecodePhrases(
        world.phrases(),
        Score.opener(ScoreOptions.SENTENCES).open(world.model, Device.CPU),
        weights,
        options);
  }

  /** A decoder that asks words given here, and searches meanwhile if it overlaps. */
  private static DecodePhrases decoder(
      World world,
      FeatureWeights weights,
      SearchOptions options,
      AskedWords words,
      boolean overlap) {
    return new DecodePhrases(
        world.phrases(),
        new Score(words, ScoreOptions.SENTENCES, Lease.unshared(words.score)),
        weights,
        options,
        team -> new SearchLatticesCpu(words, options, team, overlap));
  }

  /** Counts the calls of a language model, which is closed before one of them. */
  private static final class AskedWords implements ScoreWords {
    private final Score score;
    private final int last;
    private int calls;

    AskedWords(World world, int last) {
      this.score = Score.opener(ScoreOptions.SENTENCES).open(world.model, Device.CPU);
      this.last = last;
    }

    @Override
    public List<Result<WordScores>> apply(List<LmSentence> sentences) {
      if (calls++ == last) {
        score.close();
      }
      return score.words().apply(sentences);
    }

    @Override
    public LanguageModel model() {
      return score.model();
    }

    @Override
    public Optional<GpuLanguageModel> onGpu() {
      return score.words().onGpu();
    }

    @Override
    public ScoredTexts score(LmTexts texts, ScoreOptions options) {
      return score.words().score(texts, options);
    }

    @Override
    public LmAnswers query(LmQueries queries) {
      return score.words().query(queries);
    }

    @Override
    public void close() {}
  }

  private static SearchOptions unlimited(int distortion, int nBest) {
    int most = SearchOptions.MAX_STACK;
    return new SearchOptions(most, most, most, distortion, nBest);
  }

  private static String text(DecodePhrases decoder, SentenceWords sentence, Derivation found) {
    return String.join(" ", decoder.words(sentence, found));
  }

  /** There are more of them than fit into memory. */
  @Test
  void findsSomeOfVeryManyEqualTranslations() throws IOException {
    World world = world(new Random(3), 20, 5);
    Random random = new Random(4);
    String words =
        random.ints(40, 0, 4).mapToObj(word -> "s" + word).collect(Collectors.joining(" "));
    SentenceWords sentence = new SentenceWords(words);
    SearchOptions options = new SearchOptions(100, 500, 20, 6, 50);
    FeatureWeights equal = FeatureWeights.of(new double[Feature.COUNT]);
    try (DecodePhrases decoder = decoder(world, equal, options)) {
      List<Derivation> found = decoder.apply(List.of(sentence)).get(0).orElseThrow();
      assertThat(found).hasSize(50).allSatisfy(one -> assertThat(one.score()).isZero());
      assertThat(found.stream().map(one -> text(decoder, sentence, one))).doesNotHaveDuplicates();
    }
  }

  /** So many sentences are searched one part after the other. */
  @Test
  void aLargeBatchIsTranslatedLikeItsSentences() throws IOException {
    World world = world(new Random(9), 8, 5);
    List<SentenceWords> batch = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      batch.add(world.sentences.get(i % world.sentences.size()));
    }
    try (DecodePhrases decoder = decoder(world, FeatureWeights.DEFAULT, SearchOptions.DEFAULT)) {
      List<Result<List<Derivation>>> all = decoder.apply(batch);
      assertThat(all).hasSameSizeAs(batch);
      for (int i = 0; i < world.sentences.size(); i++) {
        SentenceWords sentence = world.sentences.get(i);
        Derivation alone = decoder.apply(List.of(sentence)).get(0).orElseThrow().get(0);
        for (int at = i; at < batch.size(); at += world.sentences.size()) {
          Derivation found = all.get(at).orElseThrow().get(0);
          assertThat(found.score()).isEqualTo(alone.score());
          assertThat(text(decoder, sentence, found)).isEqualTo(text(decoder, sentence, alone));
        }
      }
    }
  }

  /** So many sentences that each group has one for every core. */
  private static List<SentenceWords> enoughForTwoGroups(World world) {
    List<SentenceWords> batch = new ArrayList<>();
    while (batch.size() <= 2 * Team.defaultThreads()) {
      batch.addAll(world.sentences);
    }
    return batch;
  }

  @Test
  void searchingWhileTheLanguageModelIsAskedChangesNothing() throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(2_000 + round);
      World world = world(random, 20, 12);
      List<SentenceWords> batch = enoughForTwoGroups(world);
      FeatureWeights weights = RandomTexts.weights(random);
      SearchOptions options =
          new SearchOptions(1 + random.nextInt(20), 1 + random.nextInt(50), 5, 6, 3);
      AskedWords inTurn = new AskedWords(world, Integer.MAX_VALUE);
      AskedWords meanwhile = new AskedWords(world, Integer.MAX_VALUE);
      try (DecodePhrases one = decoder(world, weights, options, inTurn, false);
          DecodePhrases two = decoder(world, weights, options, meanwhile, true)) {
        List<Result<List<Derivation>>> expected = one.apply(batch);
        List<Result<List<Derivation>>> found = two.apply(batch);
        for (int i = 0; i < batch.size(); i++) {
          SentenceWords sentence = batch.get(i);
          assertThat(translations(two, sentence, found.get(i).orElseThrow()))
              .isEqualTo(translations(one, sentence, expected.get(i).orElseThrow()));
        }
        assertThat(meanwhile.calls).as("two groups ask").isGreaterThan(inTurn.calls);
        assertThat(two.times().languageModel()).isPositive();
        assertThat(two.times().search()).isPositive();
        int calls = meanwhile.calls;
        SentenceWords last = world.sentences.get(world.sentences.size() - 1);
        two.apply(List.of(last));
        assertThat(meanwhile.calls - calls)
            .as("a sentence is searched alone")
            .isLessThanOrEqualTo(2 + last.size() + 1);
      }
    }
  }

  private static List<String> translations(
      DecodePhrases decoder, SentenceWords sentence, List<Derivation> found) {
    return found.stream().map(one -> text(decoder, sentence, one) + " " + one.score()).toList();
  }

  @Test
  void whatTheLanguageModelThrowsIsThrownAndTheDecoderCanBeClosed() throws IOException {
    World world = world(new Random(10), 20, 12);
    for (boolean overlap : new boolean[] {false, true}) {
      for (int last = 2; last < 6; last++) { // of the searches; two calls choose translations
        AskedWords words = new AskedWords(world, last);
        DecodePhrases decoder =
            decoder(world, FeatureWeights.DEFAULT, SearchOptions.DEFAULT, words, overlap);
        try (decoder) {
          assertThatThrownBy(() -> decoder.apply(enoughForTwoGroups(world)))
              .isInstanceOf(OperatorException.class)
              .hasMessage("the scorer is closed");
        }
      }
    }
  }

  @Test
  void withoutLimitsItFindsTheBestOfAllTranslationsInTheirOrder() throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(round);
      LearnedPairs learned =
          round % 2 == 0 ? LearnedPairs.none() : RandomTexts.learned(new Random(round));
      World world = world(random, 3 + random.nextInt(6), 4, learned);
      FeatureWeights weights = RandomTexts.weights(random);
      int distortion = random.nextInt(5);
      try (Phrases phrases = world.phrases();
          Score score = Score.opener(ScoreOptions.SENTENCES).open(world.model, Device.CPU);
          DecodePhrases best = decoder(world, weights, unlimited(distortion, 1));
          DecodePhrases list = decoder(world, weights, unlimited(distortion, 20))) {
        List<Result<PhraseTable>> tables = phrases.applyWords(world.sentences);
        List<Result<List<Derivation>>> bests = best.apply(world.sentences);
        List<Result<List<Derivation>>> lists = list.apply(world.sentences);
        for (int i = 0; i < world.sentences.size(); i++) {
          SentenceWords sentence = world.sentences.get(i);
          Map<String, Double> all =
              NaiveDecoder.translations(
                  sentence,
                  tables.get(i).orElseThrow(),
                  score.words(),
                  learned,
                  weights,
                  distortion);
          List<Double> expected =
              all.values().stream().sorted(Comparator.reverseOrder()).limit(20).toList();
          List<Derivation> found = lists.get(i).orElseThrow();
          assertThat(found).hasSameSizeAs(expected);
          for (int k = 0; k < found.size(); k++) {
            assertThat(found.get(k).score()).isCloseTo(expected.get(k), within(CLOSE));
            assertThat(all.get(text(list, sentence, found.get(k))))
                .isCloseTo(found.get(k).score(), within(CLOSE));
          }
          assertThat(bests.get(i).orElseThrow()).hasSize(1);
          assertThat(bests.get(i).orElseThrow().get(0).score())
              .isCloseTo(expected.get(0), within(CLOSE));
        }
      }
    }
  }

  @Test
  void underAnyLimitsADerivationCoversItsSentenceAndItsFeaturesGiveItsScore() throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(1_000 + round);
      World world = world(random, 20, 30);
      FeatureWeights weights = RandomTexts.weights(random);
      SearchOptions options =
          new SearchOptions(
              1 + random.nextInt(20),
              1 + random.nextInt(50),
              1 + random.nextInt(5),
              random.nextInt(7),
              1 + random.nextInt(5));
      try (Score score = Score.opener(ScoreOptions.SENTENCES).open(world.model, Device.CPU);
          DecodePhrases decoder = decoder(world, weights, options)) {
        List<Result<List<Derivation>>> results = decoder.apply(world.sentences);
        for (int i = 0; i < world.sentences.size(); i++) {
          SentenceWords sentence = world.sentences.get(i);
          List<Derivation> found = results.get(i).orElseThrow();
          assertThat(found).hasSizeBetween(1, options.nBest());
          assertThat(found.stream().map(one -> text(decoder, sentence, one)))
              .doesNotHaveDuplicates();
          for (Derivation derivation : found) {
            assertSound(sentence, derivation, weights, options.distortion());
            String text = text(decoder, sentence, derivation);
            assertThat(derivation.feature(Feature.LANGUAGE_MODEL))
                .isCloseTo(log10(score.words(), text), within(CLOSE));
          }
        }
      }
    }
  }

  private static void assertSound(
      SentenceWords sentence, Derivation derivation, FeatureWeights weights, int distortion) {
    int[] times = new int[sentence.size()];
    int end = 0;
    int jumps = 0;
    int words = 0;
    for (AppliedPhrase phrase : derivation.phrases()) {
      for (int word = phrase.from(); word < phrase.from() + phrase.words(); word++) {
        times[word]++;
      }
      assertThat(Math.abs(phrase.from() - end)).isLessThanOrEqualTo(distortion);
      jumps += Math.abs(phrase.from() - end);
      end = phrase.from() + phrase.words();
      words += phrase.targetWords();
    }
    assertThat(times).isEqualTo(IntStream.generate(() -> 1).limit(times.length).toArray());
    assertThat(derivation.feature(Feature.DISTORTION)).isEqualTo(-jumps);
    assertThat(derivation.feature(Feature.WORDS)).isEqualTo(words);
    assertThat(derivation.feature(Feature.PHRASES)).isEqualTo(derivation.phrases().size());
    assertThat(derivation.score()).isEqualTo(weights.score(derivation.features()));
  }

  private static double log10(ScoreWords lm, String text) {
    int[] ids = new SentenceWords(text).size() == 0 ? new int[0] : ids(lm, text);
    return lm.apply(List.of(LmSentence.of(ids))).get(0).orElseThrow().total();
  }

  private static int[] ids(ScoreWords lm, String text) {
    return List.of(text.split(" ", -1)).stream()
        .mapToInt(word -> lm.model().vocabulary().id(word))
        .toArray();
  }

  @Test
  void aSentenceHasTheSameTranslationInEveryBatch() throws IOException {
    World world = world(new Random(7), 20, 12);
    SearchOptions options = new SearchOptions(10, 30, 5, 6, 4);
    try (DecodePhrases decoder = decoder(world, FeatureWeights.DEFAULT, options)) {
      List<Result<List<Derivation>>> together = decoder.apply(world.sentences);
      for (int i = 0; i < world.sentences.size(); i++) {
        SentenceWords sentence = world.sentences.get(i);
        List<Derivation> alone = decoder.apply(List.of(sentence)).get(0).orElseThrow();
        List<Derivation> other = together.get(i).orElseThrow();
        assertThat(alone.stream().map(one -> text(decoder, sentence, one)).toList())
            .isEqualTo(other.stream().map(one -> text(decoder, sentence, one)).toList());
        assertThat(alone.stream().map(Derivation::score).toList())
            .isEqualTo(other.stream().map(Derivation::score).toList());
      }
      assertThat(decoder.apply(List.of())).isEmpty();
    }
  }

  @Test
  void aSentenceThatIsTooLongFailsAlone() throws IOException {
    World world = world(new Random(8), 20, 5);
    String tooLong = "s0 ".repeat(DecodePhrases.MAX_WORDS + 1);
    try (DecodePhrases decoder =
        decoder(world, FeatureWeights.DEFAULT, new SearchOptions(1, 1, 1, 0, 1))) {
      List<Result<List<Derivation>>> results =
          decoder.apply(List.of(new SentenceWords(tooLong), new SentenceWords("s0")));
      assertThat(results.get(0)).isInstanceOf(Result.Failure.class);
      assertThat(results.get(1).orElseThrow()).hasSize(1);
      assertThatThrownBy(() -> results.get(0).orElseThrow())
          .isInstanceOf(RecordException.class)
          .hasMessageContaining("has 4097 words, more than the 4096 that are translated; split it");
    }
  }

  @Test
  void aClosedDecoderSaysSo() throws IOException {
    World world = world(new Random(9), 20, 5);
    DecodePhrases decoder = decoder(world, FeatureWeights.DEFAULT, SearchOptions.DEFAULT);
    decoder.close();
    decoder.close();
    assertThatThrownBy(() -> decoder.apply(List.of()))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("the decoder is closed");
  }

  @Test
  void refusesNumbersOutOfTheirRange() {
    assertThatThrownBy(() -> new SearchOptions(0, 1, 1, 0, 1)).hasMessageContaining("the stack");
    assertThatThrownBy(() -> new SearchOptions(1, 1, 1, 33, 1))
        .hasMessage("the distortion limit must be from 0 to 32, found 33");
    assertThatThrownBy(() -> FeatureWeights.of(new double[3]))
        .hasMessage("expected 11 feature weights, found 3");
    assertThatThrownBy(() -> FeatureWeights.DEFAULT.with(Feature.WORDS, Double.NaN))
        .hasMessage("the weight of words must be a finite number, found NaN");
  }
}
