package io.latimer.operators.smt;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.estimate.Discounts;
import io.latimer.operators.lm.estimate.EstimateOptions;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.phrases.index.PhraseIndexBuilder;
import io.latimer.operators.phrases.index.PhraseTextFiles;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.testing.TestGpu;
import io.latimer.operators.util.BuildProgress;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The search on a GPU finds what the search on the host's cores finds, to the last bit; skipped
 * without a GPU.
 */
class DecodePhrasesGpuTest {
  private static final int ROUNDS = 60;
  private static final PhraseOptions SHORT = new PhraseOptions(0, 3, 2, false);

  @RegisterExtension final TestGpu gpu = new TestGpu();

  @TempDir private Path folder;
  private int files;

  /** The decoders of both searches; all else is the same, so that only these differ. */
  private DecodePhrases decoder(
      boolean onGpu,
      Path index,
      Path model,
      PhraseOptions lookup,
      LearnedPairs learned,
      FeatureWeights weights,
      SearchOptions options) {
    Phrases phrases = Phrases.opener(lookup, Phrases.GPU_BYTES, learned).open(index, Device.CPU);
    Score score = Score.opener(ScoreOptions.SENTENCES).open(model, gpu.device());
    return onGpu
        ? new DecodePhrases(phrases, score, weights, options)
        : DecodePhrases.onCores(phrases, score, weights, options);
  }

  /**
   * Compares both searches.
   *
   * @return the nanoseconds that the one on the GPU has waited for the language model: 0 if all
   *     sentences were searched there
   */
  private long assertSame(
      Path index,
      Path model,
      PhraseOptions lookup,
      LearnedPairs learned,
      FeatureWeights weights,
      SearchOptions options,
      List<SentenceWords> sentences) {
    try (DecodePhrases onCores = decoder(false, index, model, lookup, learned, weights, options);
        DecodePhrases onGpu = decoder(true, index, model, lookup, learned, weights, options)) {
      List<Result<List<Derivation>>> expected = onCores.apply(sentences);
      List<Result<List<Derivation>>> found = onGpu.apply(sentences);
      for (int i = 0; i < sentences.size(); i++) {
        assertThat(texts(onGpu, sentences.get(i), found.get(i).orElseThrow()))
            .as("%s, %s", options, sentences.get(i))
            .isEqualTo(texts(onCores, sentences.get(i), expected.get(i).orElseThrow()));
      }
      return onGpu.times().languageModel();
    }
  }

  /** All that a derivation says. */
  private static List<String> texts(
      DecodePhrases decoder, SentenceWords sentence, List<Derivation> found) {
    List<String> texts = new ArrayList<>();
    for (Derivation one : found) {
      StringBuilder text = new StringBuilder(String.join(" ", decoder.words(sentence, one)));
      for (AppliedPhrase phrase : one.phrases()) {
        text.append(' ').append(phrase.from()).append('+').append(phrase.words());
      }
      texts.add(text + " " + one.score() + " " + Arrays.toString(one.features()));
    }
    return texts;
  }

  private Path index(Random random) throws IOException {
    ParallelText text =
        ParallelText.random(random, 20, 3 + random.nextInt(3), 2 + random.nextInt(4));
    return text.index(folder, files++ + ".lpx");
  }

  private Path model(Random random, int order, LmLayout layout) throws IOException {
    List<String> lines = RandomTexts.targetLines(random);
    Path model = folder.resolve(files++ + ".llm");
    EstimateOptions options = EstimateOptions.of(order).withFallback(Discounts.FALLBACK);
    LanguageModels.estimate(lines, options, layout, model);
    return model;
  }

  @Test
  void findsWhatTheCoresFindInRandomSentences() throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(round);
      SearchOptions options =
          new SearchOptions(
              1 + random.nextInt(20),
              1 + random.nextInt(100),
              1 + random.nextInt(8),
              random.nextInt(SearchOptions.MAX_DISTORTION + 1),
              round % 2 == 0 ? 1 : 1 + random.nextInt(30));
      long waited =
          assertSame(
              index(random),
              model(random, 1 + random.nextInt(5), LmLayout.HASH),
              SHORT,
              round % 3 == 0 ? RandomTexts.learned(new Random(round)) : LearnedPairs.none(),
              RandomTexts.weights(random),
              options,
              RandomTexts.sentences(random, 10, 40));
      assertThat(waited).isZero();
    }
  }

  /** With equal weights for few features, many extensions promise the same. */
  @Test
  void decidesBetweenEqualsAsTheCoresDo() throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(1_000 + round);
      double[] weights = new double[Feature.COUNT];
      weights[Feature.WORDS.column] = random.nextInt(3) - 1;
      weights[Feature.PHRASES.column] = random.nextInt(3) - 1;
      int nBest = 1 + round % 3;
      SearchOptions options =
          new SearchOptions(1 + random.nextInt(10), 1 + random.nextInt(40), 20, 6, nBest);
      long waited =
          assertSame(
              index(random),
              model(random, 3, LmLayout.HASH),
              SHORT,
              LearnedPairs.none(),
              FeatureWeights.of(weights),
              options,
              RandomTexts.sentences(random, 10, nBest == 1 ? 30 : 4)); // lists of equals take long
      assertThat(waited).isZero();
    }
  }

  /**
   * A sentence that has no room on the device is searched elsewhere; here these are the long ones.
   */
  @Test
  void sentencesWithoutRoomAreTranslated() throws IOException {
    Random random = new Random(3);
    SearchOptions options = new SearchOptions(1 << 19, 1 << 19, 20, 0, 1);
    List<SentenceWords> sentences =
        List.of(
            new SentenceWords("s0 s1 s2"),
            new SentenceWords("s0 s1 s2 s3 s0 s1 s2 s3 ".repeat(20).strip()),
            new SentenceWords("s3"));
    PhraseOptions single = new PhraseOptions(1, 1, 1, false); // one translation of each phrase
    long waited =
        assertSame(
            index(random),
            model(random, 3, LmLayout.HASH),
            single,
            LearnedPairs.none(),
            FeatureWeights.DEFAULT,
            options,
            sentences);
    assertThat(waited).isPositive();
  }

  @Test
  void aModelInAnotherLayoutIsSearchedOnTheCores() throws IOException {
    Random random = new Random(4);
    Path index = index(random);
    Path model = model(random, 3, LmLayout.BTREE);
    SearchOptions options = new SearchOptions(10, 50, 5, 6, 3);
    try (DecodePhrases decoder =
        decoder(true, index, model, SHORT, LearnedPairs.none(), FeatureWeights.DEFAULT, options)) {
      assertThat(decoder.apply(RandomTexts.sentences(random, 10, 30)))
          .allMatch(Result.Value.class::isInstance);
      assertThat(decoder.times().languageModel()).isPositive();
    }
  }

  @Test
  void findsWhatTheCoresFindInATestSet() throws IOException {
    Path data = SharedData.require("data/multi30k");
    Path index = folder.resolve("multi30k.lpx");
    PhraseIndexBuilder.index(
        new PhraseTextFiles(
            data.resolve("tok/train.lc.norm.tok.en.gz"),
            data.resolve("tok/train.lc.norm.tok.de.gz"),
            data.resolve("align/train.en-de.gdfa.gz")),
        false,
        index,
        "",
        BuildProgress.NONE);
    Path model = folder.resolve("multi30k.llm");
    LanguageModels.estimate(
        lines(data.resolve("tok/train.lc.norm.tok.de.gz")),
        EstimateOptions.of(5).withFallback(Discounts.FALLBACK),
        LmLayout.HASH,
        model);
    List<SentenceWords> sentences =
        SentenceWords.of(lines(data.resolve("tok/test_2016_flickr.lc.norm.tok.en.gz")));
    for (SearchOptions options :
        List.of(
            SearchOptions.DEFAULT,
            new SearchOptions(10, 50, 20, 6, 1),
            new SearchOptions(20, 100, 20, 6, 100))) {
      long waited =
          assertSame(
              index,
              model,
              PhraseOptions.DEFAULT,
              LearnedPairs.none(),
              FeatureWeights.DEFAULT,
              options,
              sentences);
      assertThat(waited).isZero();
    }
  }

  private static List<String> lines(Path file) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }
}
