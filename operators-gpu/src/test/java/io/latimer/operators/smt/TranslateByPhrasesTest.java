package io.latimer.operators.smt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.BatchOperatorContract;
import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.nmt.Remembered;
import io.latimer.operators.nmt.Translated;
import io.latimer.operators.nmt.Translated.Alternative;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.phrases.index.PhraseIndexBuilder;
import io.latimer.operators.phrases.index.TaughtPair;
import io.latimer.operators.quality.QualityModel;
import io.latimer.operators.text.TextSettings.Casing;
import io.latimer.operators.text.TextSettings.Tokenizer;
import io.latimer.operators.util.BuildProgress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Raw text through a small index, and what a translator must hold to. */
class TranslateByPhrasesTest extends BatchOperatorContract<String, Translated> {
  private static final ParallelText TEXT =
      ParallelText.of(
          "the house is small . ||| das haus ist klein . ||| 0-0 1-1 2-2 3-3 4-4",
          "the house is big . ||| das haus ist groß . ||| 0-0 1-1 2-2 3-3 4-4",
          "the house ||| das haus ||| 0-0 1-1",
          "it &apos;s small . ||| es ist klein . ||| 0-0 1-1 2-2 3-3",
          "he sleeps . ||| er schläft . ||| 0-0 1-1 2-2",
          "he has seen it . ||| er hat es gesehen . ||| 0-0 1-1 2-3 3-2 4-4",
          "he has seen the house . ||| er hat das haus gesehen . ||| 0-0 1-1 2-4 3-2 4-3 5-5");

  private static final PhraseText ENGLISH_GERMAN =
      new PhraseText("en", "de", Tokenizer.MOSES, Casing.LOWER);

  /** Any weights will do for such a text, but the tests must not depend on tuned ones. */
  private static final FeatureWeights WEIGHTS =
      FeatureWeights.of(new double[] {1, 0.4, 0.3, 0.3, 0.2, 0.1, 0, 0.3, 0, 0.1, 10});

  @TempDir private Path folder;
  private Path index;
  private IndexRef model;

  private TranslateByPhrasesOptions options(int nBest, boolean alignment) {
    if (index == null) {
      try {
        index = TEXT.index(folder, "text.lpx");
        Path file = folder.resolve("target.llm");
        LanguageModels.estimate(
            TEXT.pairs().stream().map(pair -> String.join(" ", pair.target())).toList(), file);
        model = IndexRefs.of(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    TranslateByPhrasesOptions usual = UsualOptions.of(model, ENGLISH_GERMAN);
    return new TranslateByPhrasesOptions(
        usual.languageModel(),
        usual.languageModelDevice(),
        usual.text(),
        WEIGHTS,
        usual.search().withNBest(nBest),
        usual.phrases(),
        true,
        alignment,
        Optional.empty(),
        usual.gpuBytes());
  }

  private TranslateByPhrases openWithLanguageModelOn(String name) {
    TranslateByPhrasesOptions same = options(3, true);
    TranslateByPhrasesOptions other =
        new TranslateByPhrasesOptions(
            same.languageModel(),
            name,
            same.text(),
            same.weights(),
            same.search(),
            same.phrases(),
            same.scores(),
            same.alignment(),
            same.splitSentences(),
            same.gpuBytes());
    return TranslateByPhrases.opener(other).open(index, device());
  }

  private TranslateByPhrases open(int nBest, boolean alignment) {
    TranslateByPhrasesOptions options = options(nBest, alignment);
    return TranslateByPhrases.opener(options).open(index, device());
  }

  /** Where to translate. */
  Device device() {
    return Device.CPU;
  }

  private static Translated only(TranslateByPhrases translate, String text) {
    return translate.apply(List.of(text)).get(0).orElseThrow();
  }

  @Override
  protected BatchOperator<String, Translated> openOperator() {
    return open(3, true);
  }

  @Override
  protected BatchOperator<String, Translated> openOperatorWithLittleMemory() {
    return openOperator();
  }

  @Override
  protected String record(int number) {
    return "The house is big. ".repeat(number % 3) + "He sleeps Nr" + number + " seen.";
  }

  @Override
  protected List<String> badRecords() {
    return List.of("x\ud800", "long ".repeat(50_000));
  }

  @Override
  protected void assertSameOutput(Translated expected, Translated found, String where) {
    assertThat(found)
        .as(where)
        .usingRecursiveComparison()
        .ignoringFields("timings")
        .isEqualTo(expected);
  }

  @Test
  void theLanguageModelMayHaveADeviceOfItsOwn() {
    String text = "He sleeps. The house is big.";
    try (TranslateByPhrases one = open(3, true);
        TranslateByPhrases two = openWithLanguageModelOn("cpu")) {
      assertSameOutput(only(one, text), only(two, text), text);
    }
    assertThatThrownBy(() -> openWithLanguageModelOn("gpu:99"))
        .isInstanceOf(OperatorException.class)
        .hasMessageStartingWith("device gpu:99");
  }

  @Test
  void rawTextIsPreparedAsTheIndexAndWrittenAsText() {
    try (TranslateByPhrases translate = open(1, false)) {
      assertThat(only(translate, "The house is small. It's big.").text())
          .isEqualTo("Das haus ist klein. Es ist groß.");
      assertThat(only(translate, "").text()).isEmpty();
      assertThat(only(translate, " \n").text()).isEmpty();
      assertThat(translate.model().sourceLanguage()).isEqualTo("en");
      assertThat(translate.model().targetLanguage()).isEqualTo("de");
      assertThat(translate.model().id()).hasSize(64);
    }
  }

  @Test
  void unknownWordsPassThroughInTheirOwnCase() {
    try (TranslateByPhrases translate = open(1, false)) {
      assertThat(only(translate, "He has seen McFly.").text()).isEqualTo("Er hat McFly gesehen.");
      assertThat(only(translate, "He sleeps \"AB\" & C 😀 at https://a.example/Q?x=1 .").text())
          .isEqualTo("Er schläft \"AB\" & C 😀 at https://a.example/Q?x=1.");
    }
  }

  @Test
  void wordsAreLinkedByTheLexiconAndCopiesToThemselves() {
    try (TranslateByPhrases translate = open(1, true)) {
      Translated found = only(translate, "He has seen the house. He has seen McFly.");
      assertThat(found.text()).isEqualTo("Er hat das haus gesehen. Er hat McFly gesehen.");
      assertThat(found.alignment())
          .extracting(point -> point.source() + "-" + point.target())
          .containsExactly(
              "0-0", "1-1", "3-2", "4-3", "2-4", "5-5", "6-6", "7-7", "9-8", "8-9", "10-10");
      assertThat(found.alignment()).allMatch(point -> point.weight() == 1);
      assertThat(
              found.alignment().get(8).sourceSpan().of("He has seen the house. He has seen McFly."))
          .isEqualTo("McFly");
      assertThat(found.alignment().get(8).targetSpan().of(found.text())).isEqualTo("McFly");
    }
  }

  @Test
  void alternativesAndScoresAreThoseOfTheSearch() {
    TranslateByPhrasesOptions options = options(4, false);
    try (TranslateByPhrases translate = open(4, false);
        DecodePhrases decode =
            new DecodePhrases(
                Phrases.opener(options.phrases()).open(index, device()),
                Score.opener(ScoreOptions.SENTENCES).open(model, device()),
                options.weights(),
                options.search())) {
      Translated found = only(translate, "He has seen the house.");
      List<Derivation> searched =
          decode.apply(List.of(new SentenceWords("he has seen the house ."))).get(0).orElseThrow();
      assertThat(found.nBest()).hasSize(4);
      assertThat(found.nBest().get(0).text()).isEqualTo(found.text());
      for (int i = 0; i < 4; i++) {
        Alternative entry = found.nBest().get(i);
        assertThat(entry.score()).isCloseTo(searched.get(i).score(), within(1e-12));
        assertThat(entry.normalizedScore()).isEqualTo(entry.score());
      }
      assertThat(found.score()).isEqualTo(found.nBest().get(0).score());
      assertThat(found.sourceTokens()).isEqualTo(7);
      assertThat(found.targetTokens()).isEqualTo(7);
    }
  }

  /** The usual options with a judge that finds long translations improbable. */
  private TranslateByPhrasesOptions judged(boolean scores) {
    TranslateByPhrasesOptions usual = options(1, false);
    QualityModel<PhraseQualityFeature> judge =
        new QualityModel<>(
            50,
            100,
            0,
            List.of(new QualityModel.Term<>(PhraseQualityFeature.LENGTH, 1, 0.5, -0.3)));
    return new TranslateByPhrasesOptions(
        usual.languageModel(),
        usual.languageModelDevice(),
        usual.text(),
        WEIGHTS.judgedBy(Optional.of(judge)),
        usual.search(),
        usual.phrases(),
        scores,
        false,
        Optional.empty(),
        usual.gpuBytes());
  }

  private static double probability(int words) {
    return 1 / (1 + Math.exp(0.3 * (Math.log(words) - 1) / 0.5));
  }

  @Test
  void theQualityIsThatOfTheLeastCertainSentence() {
    try (TranslateByPhrases translate =
        TranslateByPhrases.opener(judged(true)).open(index, device())) {
      assertThat(only(translate, "He sleeps.").quality()).hasValue(probability(3));
      assertThat(only(translate, "He has seen the house.").quality()).hasValue(probability(6));
      assertThat(only(translate, "He sleeps. He has seen the house. It's big.").quality())
          .hasValue(probability(6));
      assertThat(only(translate, " ").quality()).isEmpty();
      assertThat(only(translate, "😀").quality()).isEmpty();
    }
  }

  @Test
  void withoutAJudgeOrScoresThereIsNoQuality() {
    try (TranslateByPhrases bare = open(1, false);
        TranslateByPhrases scoreless =
            TranslateByPhrases.opener(judged(false)).open(index, device())) {
      assertThat(only(bare, "He sleeps.").quality()).isEmpty();
      assertThat(only(scoreless, "He sleeps.").quality()).isEmpty();
    }
  }

  @Test
  void taughtSentencesAreNotJudged() {
    TranslateByPhrasesOptions options = judged(true);
    LearnedPairs learned;
    try (TranslateByPhrases translate = open(1, false)) {
      learned =
          LearnedPairs.none()
              .with(
                  List.of(
                      translate.prepare(
                          LearnedPair.ofTexts("c1", 7, "Rufus saw it.", "Rufus hat es gesehen."))));
    }
    try (TranslateByPhrases translate =
        TranslateByPhrases.opener(options, learned, 100).open(index, device())) {
      assertThat(only(translate, "Rufus saw it.").quality()).isEmpty();
      assertThat(only(translate, "Rufus saw it. He sleeps.").quality()).hasValue(probability(3));
    }
  }

  @Test
  void itUsesWhatWasLearned() {
    LearnedPairs learned =
        ParallelText.of("the flux capacitor ||| der fluxkompensator ||| 0-0 1-1 2-1").learned(0);
    TranslateByPhrasesOptions options = options(1, false);
    try (TranslateByPhrases before = open(1, false);
        TranslateByPhrases after =
            TranslateByPhrases.opener(options, learned, 100).open(index, device())) {
      String text = "He has seen the flux capacitor.";
      assertThat(only(before, text).text()).contains("flux capacitor");
      assertThat(only(after, text).text()).isEqualTo("Er hat das fluxkompensator gesehen.");
      assertThat(after.model()).isEqualTo(before.model());
      assertThat(after.index().learned()).isEqualTo(learned);
    }
  }

  @Test
  void aTaughtTextComesBackAsItWasTaughtAlsoFromANewIndex() {
    LearnedPairs learned;
    try (TranslateByPhrases translate = open(1, true)) {
      LearnedPair text =
          LearnedPair.ofTexts(
              "c1", 7, "Rufus saw it. He left!", "Rufus  hat's gesehen. Weg ist er!");
      LearnedPair words = new LearnedPair("c2", 8, "a cat", "die katze", "0-0 1-1");
      learned = LearnedPairs.none().with(List.of(translate.prepare(text), words));
    }
    Path next = folder.resolve("taught.lpx");
    PhraseIndexBuilder.append(index, learned, next, "", BuildProgress.NONE);
    Path merged = folder.resolve("merged.lpx");
    PhraseIndexBuilder.merge(next, merged, "", BuildProgress.NONE);
    TranslateByPhrasesOptions options = options(1, true);
    for (Path file : List.of(index, next, merged)) {
      LearnedPairs beside = file.equals(index) ? learned : LearnedPairs.none(2);
      try (TranslateByPhrases translate =
          TranslateByPhrases.opener(options, beside, 100).open(file, device())) {
        Translated whole = only(translate, "RUFUS saw it. \n he left!");
        assertThat(whole.text()).isEqualTo("Rufus  hat's gesehen. Weg ist er!");
        assertThat(whole.taught()).extracting(Remembered::correction).containsExactly("c1");
        assertThat(whole.taught()).extracting(Remembered::time).containsExactly(7L);
        assertThat(whole.remembered()).isEqualTo(2);
        assertThat(only(translate, "He left!").text()).isEqualTo("Weg ist er!");
        assertThat(only(translate, "a cat").taught()).isEmpty();
      }
    }
    LearnedPair again = LearnedPair.ofTexts("c3", 9, "rufus saw it. he left!", "Weg!");
    Path newest = folder.resolve("newest.lpx");
    PhraseIndexBuilder.append(
        next, LearnedPairs.none(2).with(List.of(again)), newest, "", BuildProgress.NONE);
    try (TranslateByPhrases translate = TranslateByPhrases.opener(options).open(newest, device())) {
      assertThat(only(translate, "Rufus saw it. He left!").text()).isEqualTo("Weg!");
      assertThat(translate.index().taught()).extracting(TaughtPair::id).containsExactly("c3");
    }
  }

  @Test
  void pairsOfRawTextArePreparedOnBothSides() {
    try (TranslateByPhrases translate = open(1, false)) {
      LearnedPair raw =
          new LearnedPair(
              "1", 5, "It's \"HERE\" now. See https://a.example 😀", "Es ist da... Ja!", "");
      assertThat(translate.prepare(raw))
          .isEqualTo(
              raw.withWords("it &apos;s &quot; here &quot; now . see", "es ist da ... ja !"));
      assertThatThrownBy(() -> translate.prepare(new LearnedPair("1", 5, "😀", "ja", "")))
          .isInstanceOf(RecordException.class)
          .hasMessage("the source sentence has no words");
    }
  }

  @Test
  void anIndexOfPlainTextIsReadAsItIs() throws IOException {
    ParallelText plain = ParallelText.of("Come in! ||| Herein! ||| 0-0 1-0", "Don't ||| Nicht |||");
    Path plainIndex = plain.index(folder, "plain.lpx");
    TranslateByPhrasesOptions options = options(1, false);
    PhraseText asItIs = new PhraseText("en", "de", Tokenizer.NONE, Casing.KEEP);
    TranslateByPhrasesOptions plainOptions = UsualOptions.of(model, asItIs);
    try (TranslateByPhrases translate =
        TranslateByPhrases.opener(plainOptions).open(plainIndex, device())) {
      assertThat(only(translate, "Come in! come in! Don't").text())
          .isEqualTo("Herein! come in! Don't");
    }
    assertThat(options.text()).isNotEqualTo(asItIs);
  }

  @Test
  void nothingStaysOpenIfTheLanguageModelCannotBeOpened() {
    options(1, false);
    ResidentIndexes residents = new ResidentIndexes();
    IndexRef ref = IndexRefs.of(index);
    TranslateByPhrasesOptions wrong = UsualOptions.of(ref, ENGLISH_GERMAN);
    assertThatThrownBy(() -> TranslateByPhrases.opener(wrong).open(residents, ref, device()))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("language-model");
    assertThat(residents.holds(ref.sha256())).isFalse();
  }

  @Test
  void aCasingThatNeedsAModelIsRefused() {
    assertThatThrownBy(() -> new PhraseText("en", "de", Tokenizer.MOSES, Casing.TRUECASE))
        .isInstanceOf(OperatorException.class)
        .hasMessage("the casing of a phrase index must be keep or lower");
  }
}
