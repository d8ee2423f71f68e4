package io.latimer.operators.smt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.estimate.EstimateOptions;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.phrases.index.PhraseIndexBuilder;
import io.latimer.operators.phrases.index.PhraseTextFiles;
import io.latimer.operators.quality.QualityModel;
import io.latimer.operators.quality.RankingQuality;
import io.latimer.operators.quality.TrainedQuality;
import io.latimer.operators.smt.tune.DevelopmentSet;
import io.latimer.operators.smt.tune.DevelopmentText;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.text.bleu.Chrf;
import io.latimer.operators.util.BuildProgress;
import io.latimer.operators.util.PackedFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The judge of the default weights: how it was trained, and how well it does on a test set. */
class DefaultQualityGoldenTest {
  private static final int BATCH = 100;

  @TempDir private static Path folder;
  private static Path data;
  private static DecodePhrases decoder;

  @BeforeAll
  static void open() throws IOException {
    data = SharedData.require("data/multi30k");
    decoder = decoder();
  }

  @AfterAll
  static void close() {
    if (decoder != null) {
      decoder.close();
    }
  }

  @Test
  void isWhatTheDevelopmentSetTeaches() {
    DevelopmentSet set =
        DevelopmentSet.read(
            data.resolve("tok/val.lc.norm.tok.en.gz"), data.resolve("tok/val.lc.norm.tok.de.gz"));
    TrainedQuality<PhraseQualityFeature> trained =
        new DevelopmentText(decoder, set).judge(FeatureWeights.DEFAULT, 50, done -> {});
    assertThat(trained.model())
        .usingRecursiveComparison()
        .withComparatorForType(
            (one, other) -> Math.abs(one - other) < 1e-3 ? 0 : Double.compare(one, other),
            Double.class)
        .isEqualTo(FeatureWeights.DEFAULT.judge().orElseThrow());
    assertThat(trained.area()).isGreaterThan(0.8);
    assertThat(trained.calibrationError()).isLessThan(0.03);
  }

  @Test
  void tellsRightFromWrongInATestSet() throws IOException {
    List<SentenceWords> sources = SentenceWords.of(lines("tok/test_2016_flickr.lc.norm.tok.en.gz"));
    List<String> references = lines("tok/test_2016_flickr.lc.norm.tok.de.gz");
    double[] quality = new double[sources.size()];
    double[] chrf = new double[sources.size()];
    QualityModel<PhraseQualityFeature> judge = FeatureWeights.DEFAULT.judge().orElseThrow();
    for (int from = 0; from < quality.length; from += BATCH) {
      List<SentenceWords> batch = sources.subList(from, from + BATCH);
      List<Result<List<Derivation>>> found = decoder.apply(batch);
      for (int i = 0; i < BATCH; i++) {
        Derivation best = found.get(i).orElseThrow().get(0);
        List<String> words = decoder.words(batch.get(i), best);
        quality[from + i] =
            judge.probability(PhraseQualityFeature.measure(batch.get(i).size(), best, words));
        chrf[from + i] = Chrf.of(String.join(" ", words), references.get(from + i));
      }
    }
    assertThat(area(quality, chrf, 50, 50)).isGreaterThan(0.79);
    assertThat(area(quality, chrf, 60, 35)).isGreaterThan(0.9);
    boolean[] right = new boolean[quality.length];
    for (int i = 0; i < right.length; i++) {
      right[i] = chrf[i] >= 50;
    }
    assertThat(RankingQuality.calibrationError(quality, right)).isCloseTo(0, within(0.05));
  }

  /** The area of those that are right from one chrF, and wrong below another. */
  private static double area(double[] quality, double[] chrf, double from, double below) {
    int[] clear =
        IntStream.range(0, chrf.length).filter(i -> chrf[i] >= from || chrf[i] < below).toArray();
    boolean[] right = new boolean[clear.length];
    for (int i = 0; i < clear.length; i++) {
      right[i] = chrf[clear[i]] >= from;
    }
    return RankingQuality.area(IntStream.of(clear).mapToDouble(i -> quality[i]).toArray(), right);
  }

  private static DecodePhrases decoder() throws IOException {
    Path index = folder.resolve("multi30k.lpx");
    PhraseIndexBuilder.index(
        new PhraseTextFiles(
            data.resolve("tok/train.lc.norm.tok.en.gz"),
            data.resolve("tok/train.lc.norm.tok.de.gz"),
            data.resolve("align/train.en-de.gdfa.gz")),
        true,
        index,
        "",
        BuildProgress.NONE);
    Path model = folder.resolve("multi30k.llm");
    LanguageModels.estimate(
        lines("tok/train.lc.norm.tok.de.gz"), EstimateOptions.of(5), LmLayout.HASH, model);
    return new DecodePhrases(
        Phrases.opener(PhraseOptions.DEFAULT).open(index, Device.CPU),
        Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU),
        FeatureWeights.DEFAULT,
        SearchOptions.DEFAULT);
  }

  private static List<String> lines(String name) throws IOException {
    try (InputStream in = PackedFile.open(data.resolve(name), 1 << 16)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }
}
