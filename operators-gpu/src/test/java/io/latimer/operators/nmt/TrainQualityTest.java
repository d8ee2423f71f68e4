package io.latimer.operators.nmt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.model.QualityFeature;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.quality.RankingQuality;
import io.latimer.operators.quality.TrainedQuality;
import io.latimer.operators.testing.ShippedModel;
import io.latimer.operators.text.Guidance;
import io.latimer.operators.text.KeepPatterns;
import io.latimer.operators.text.SourceSentence;
import io.latimer.operators.text.TextInput;
import io.latimer.operators.text.TextPipeline;
import io.latimer.operators.text.Vocabulary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The judge of the example model, trained again on few sentences. */
class TrainQualityTest {
  private static final int SENTENCES = 400;

  @TempDir static Path folder;

  private static Path judged;
  private static TrainedQuality<QualityFeature> trained;
  private static List<String> sources;
  private static List<String> references;

  /** The project's own parallel text, so that the test needs no other data. */
  @BeforeAll
  static void train() throws IOException {
    sources = lines("front-desk.en");
    references = lines("front-desk.de");
    judged = folder.resolve("judged.lmx");
    try (IndexFile file = IndexFile.open(ShippedModel.path())) {
      trained =
          TrainQuality.train(file, Device.CPU, TranslateOptions.DEFAULTS, sources, references, 60);
      TranslationModel.writeWithQuality(file, trained.model(), judged);
    }
  }

  private static List<String> lines(String name) throws IOException {
    Path corpora = ShippedModel.path().resolveSibling("../corpora");
    try (Stream<String> lines = Files.lines(corpora.resolve(name))) {
      return lines.limit(SENTENCES).toList();
    }
  }

  @Test
  void tellsRightFromWrong() {
    assertThat(trained.model().sentences()).isEqualTo(SENTENCES);
    assertThat(trained.right()).isBetween(10, SENTENCES - 10);
    assertThat(trained.area()).isGreaterThan(0.6);
    assertThat(trained.calibrationError()).isLessThan(0.15);
  }

  @Test
  void theFileDiffersOnlyInItsJudge() {
    try (IndexFile file = IndexFile.open(judged);
        TranslationModel model = TranslationModel.open(file);
        IndexFile before = IndexFile.open(ShippedModel.path())) {
      assertThat(model.quality()).contains(trained.model());
      assertThat(file.version()).isEqualTo(before.version());
      before.sections().stream()
          .filter(section -> !section.name().equals("quality"))
          .forEach(
              section ->
                  assertThat(file.section(section.name()))
                      .as(section.name())
                      .isEqualTo(before.section(section.name())));
    }
  }

  @Test
  void eachTranslationHasItsQuality() {
    List<String> some = sources.subList(0, 40);
    try (Translate translate =
        Translate.opener(TranslateOptions.DEFAULTS).open(judged, Device.CPU)) {
      List<Translated> alone = translate.apply(some).stream().map(Result::orElseThrow).toList();
      assertThat(alone).allMatch(one -> quality(one) > 0 && quality(one) < 1);
      Translated both =
          translate.apply(List.of(some.get(0) + " " + some.get(1))).get(0).orElseThrow();
      assertThat(quality(both))
          .as("that of the less certain sentence")
          .isCloseTo(Math.min(quality(alone.get(0)), quality(alone.get(1))), within(1e-6));
      assertThat(translate.apply(List.of(" ")).get(0).orElseThrow().quality()).isEmpty();
    }
    TranslateOptions bare =
        TranslateOptions.of(TranslateOptions.DEFAULTS.search().withScores(false));
    try (Translate translate = Translate.opener(bare).open(judged, Device.CPU)) {
      assertThat(translate.apply(some).get(0).orElseThrow().quality()).isEmpty();
    }
  }

  @Test
  void whatHasNoWordsOfTheModelHasNoQuality() {
    try (IndexFile file = IndexFile.open(judged);
        TranslationModel model = TranslationModel.open(file)) {
      Vocabulary words = model.target();
      int word =
          IntStream.range(Vocabulary.UNKNOWN + 1, words.size())
              .filter(id -> words.token(id).matches(".*[a-z]{3}"))
              .findFirst()
              .orElseThrow();
      String text = "A <b>fine</b> day, see https://a.example";
      assertThat(qualityOf(model.pipeline(), text, Vocabulary.END)).isEmpty();
      assertThat(qualityOf(model.pipeline(), text, word, Vocabulary.END)).isPresent();
    }
  }

  /** The quality of a sentence whose translation is some ids. */
  private static OptionalDouble qualityOf(TextPipeline pipeline, String text, int... ids) {
    TextInput input = new TextInput(text, Guidance.NONE);
    SourceSentence sentence = pipeline.prepare(input, false, KeepPatterns.NONE).get(0);
    float[][] attention = new float[ids.length][sentence.length()];
    for (float[] row : attention) {
      Arrays.fill(row, 1f / row.length);
    }
    Hypothesis hypothesis = new Hypothesis(ids, new float[ids.length], 0, 0, attention);
    TranslatedParts parts = new TranslatedParts(1, true, false, Optional.of(trained.model()));
    Translate.Model model = new Translate.Model("", "", "en", "de");
    RecordAssembly assembly = new RecordAssembly(pipeline, parts, model);
    assembly.add(sentence, new Decoded(List.of(hypothesis)), null, Set.of());
    assembly.finish(text);
    return assembly.translated(new Translated.Timings(0, 0, 0)).quality();
  }

  private static double quality(Translated translated) {
    return translated.quality().orElseThrow();
  }

  @Test
  void damagedTranslationsAreToldFromItsOwn() {
    Random random = new Random(2);
    List<GivenTranslation> pairs = new ArrayList<>();
    boolean[] right = new boolean[200];
    try (Translate translate =
        Translate.opener(TranslateOptions.DEFAULTS).open(judged, Device.CPU)) {
      List<Result<Translated>> own = translate.apply(sources.subList(0, right.length));
      for (int i = 0; i < right.length; i++) {
        right[i] = i % 2 == 0;
        String text = own.get(i).orElseThrow().text();
        pairs.add(new GivenTranslation(sources.get(i), right[i] ? text : damaged(text, random)));
      }
    }
    double[] quality = new double[right.length];
    try (JudgeTranslations judge =
        JudgeTranslations.opener(TranslateOptions.DEFAULTS).open(judged, Device.CPU)) {
      List<Result<JudgedTranslation>> results = judge.apply(pairs);
      for (int i = 0; i < right.length; i++) {
        quality[i] = results.get(i).orElseThrow().quality().orElseThrow();
      }
    }
    assertThat(RankingQuality.area(quality, right)).isGreaterThan(0.9);
  }

  private static String firstWord(int reference) {
    String text = references.get(reference);
    return text.substring(0, text.indexOf(' '));
  }

  private static String damaged(String text, Random random) {
    List<String> words = new ArrayList<>(List.of(text.split(" ")));
    int at = random.nextInt(words.size());
    int other = random.nextInt(references.size());
    switch (random.nextInt(3)) {
      case 0 -> words.set(at, firstWord(other));
      case 1 -> words.add(at, firstWord(other));
      default -> Collections.swap(words, at, (at + 1) % words.size());
    }
    String damaged = String.join(" ", words);
    return damaged.equals(text) ? damaged + " Hund" : damaged;
  }

  @Test
  void aTranslationOfItsOwnHasTheScoreOfItsSearch() {
    List<String> some = sources.subList(0, 20);
    try (Translate translate =
            Translate.opener(TranslateOptions.DEFAULTS).open(judged, Device.CPU);
        JudgeTranslations judge =
            JudgeTranslations.opener(TranslateOptions.DEFAULTS).open(judged, Device.CPU)) {
      List<Result<Translated>> own = translate.apply(some);
      List<GivenTranslation> given = new ArrayList<>();
      for (int i = 0; i < some.size(); i++) {
        given.add(new GivenTranslation(some.get(i), own.get(i).orElseThrow().text()));
      }
      List<Result<JudgedTranslation>> judgements = judge.apply(given);
      int same = 0; // others are segmented differently than the model said them
      for (int i = 0; i < some.size(); i++) {
        double score = judgements.get(i).orElseThrow().score();
        same += Math.abs(score - own.get(i).orElseThrow().score()) < 1e-3 ? 1 : 0;
      }
      assertThat(same).isGreaterThan(some.size() / 2);
    }
  }

  @Test
  void whatHasNoWordsFailsAlone() {
    try (JudgeTranslations judge =
        JudgeTranslations.opener(TranslateOptions.DEFAULTS).open(judged, Device.CPU)) {
      List<Result<JudgedTranslation>> results =
          judge.apply(
              List.of(
                  new GivenTranslation("Good morning.", " "),
                  new GivenTranslation("", "Guten Morgen."),
                  new GivenTranslation("Good morning.", "Guten Morgen."),
                  new GivenTranslation(
                      "A <b>fine</b> https://a.example!", "<b></b> https://a.example!")));
      assertThat(results.get(0).toString()).contains("the translation is empty");
      assertThat(results.get(1).toString()).contains("the text has no words");
      assertThat(results.get(2).orElseThrow().quality()).isPresent();
      assertThat(results.get(3).toString()).contains("the translation has no words besides markup");
    }
  }

  @Test
  void theLineThatCannotBeTranslatedIsNamed() {
    assertThatThrownBy(() -> train("Good morning.", "A broken \ud83d letter."))
        .isInstanceOf(OperatorException.class)
        .hasMessageStartingWith("line 2 cannot be translated: ")
        .hasMessageContaining("surrogate")
        .hasMessageEndingWith("; leave the line out");
    assertThatThrownBy(() -> train("Good morning.", "Good night.", " "))
        .isInstanceOf(OperatorException.class)
        .hasMessage("line 3 cannot be translated: it has no words; leave the line out");
    String tooLong = "word ".repeat(3000);
    assertThatThrownBy(() -> train(tooLong))
        .hasMessageStartingWith("line 1 cannot be translated: it is too long for the model");
  }

  private static void train(String... lines) {
    try (IndexFile file = IndexFile.open(ShippedModel.path())) {
      List<String> all = List.of(lines);
      TrainQuality.train(file, Device.CPU, TranslateOptions.DEFAULTS, all, all, 60);
    }
  }

  @Test
  void asManyReferencesAsSentences() {
    try (IndexFile file = IndexFile.open(ShippedModel.path())) {
      assertThatThrownBy(
              () ->
                  TrainQuality.train(
                      file,
                      Device.CPU,
                      TranslateOptions.DEFAULTS,
                      sources,
                      references.subList(1, 9),
                      60))
          .isInstanceOf(OperatorException.class)
          .hasMessage("there are 400 sentences, but 8 references");
    }
  }
}
