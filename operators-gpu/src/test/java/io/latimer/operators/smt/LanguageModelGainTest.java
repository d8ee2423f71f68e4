package io.latimer.operators.smt;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.nmt.Translated;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.phrases.index.PhraseIndexBuilder;
import io.latimer.operators.text.TextSettings.Casing;
import io.latimer.operators.text.TextSettings.Tokenizer;
import io.latimer.operators.util.BuildProgress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Phrases of learned pairs against those of the index, which the language model knows better. */
class LanguageModelGainTest {
  private static final ParallelText TEXT =
      ParallelText.of(
          "the house is small . ||| das haus ist klein . ||| 0-0 1-1 2-2 3-3 4-4",
          "the house is big . ||| das haus ist groß . ||| 0-0 1-1 2-2 3-3 4-4",
          "a bank ||| eine bank ||| 0-0 1-1",
          "a bank ||| eine bank ||| 0-0 1-1",
          "a bank ||| ein ufer ||| 0-0 1-1",
          "we sleep ! ||| wir schlafen ! ||| 0-0 1-1 2-2");

  private static final String HOUSE = "We sleep! The house!";
  private static final String BANK = "The bank is big.";

  @TempDir private Path folder;
  private Path index;
  private TranslateByPhrasesOptions options;

  /** Most words of the language model are of other texts, as is usual. */
  @BeforeEach
  void build() throws IOException {
    index = TEXT.index(folder, "index.lpx");
    Stream<String> known = TEXT.pairs().stream().map(pair -> String.join(" ", pair.target()));
    Stream<String> others =
        IntStream.range(0, 1_000)
            .mapToObj(i -> "das ding" + i + " ist ein ding" + (999 - i) + " .");
    Path model = folder.resolve("model.llm");
    LanguageModels.estimate(Stream.concat(known, others).toList(), model);
    options =
        UsualOptions.of(
            IndexRefs.of(model), new PhraseText("en", "de", Tokenizer.MOSES, Casing.LOWER));
  }

  private Translated translated(Path file, LearnedPairs learned, String text) {
    try (TranslateByPhrases translate =
        TranslateByPhrases.opener(options, learned, 100).open(file, Device.CPU)) {
      return translate.apply(List.of(text)).get(0).orElseThrow();
    }
  }

  private String taught(String text, String... pairs) {
    return translated(index, ParallelText.of(pairs).learned(0), text).text();
  }

  @Test
  void aWordThatTheLanguageModelLacksIsChosenInOtherSentencesOnceItWasTaught() {
    assertThat(taught(HOUSE)).isEqualTo("Wir schlafen! Das haus!");
    assertThat(taught(HOUSE, "the house ||| das gebäude ||| 0-0 1-1"))
        .isEqualTo("Wir schlafen! Das gebäude!");
  }

  @Test
  void ofKnownPhrasesTheOneThatWasTaughtIsChosenInOtherSentences() {
    assertThat(taught(BANK)).isEqualTo("Das bank ist groß.");
    assertThat(taught(BANK, "one bank ||| das ufer ||| 0-0 1-1")).isEqualTo("Das ufer ist groß.");
  }

  @Test
  void aSentenceWithoutTaughtWordsKeepsItsTranslationAndItsScore() {
    LearnedPairs learned =
        ParallelText.of("one cat ||| katze ||| 0-0 1-0", "a sofa ||| ein ufer ||| 0-0 1-1")
            .learned(0);
    for (String text : List.of(HOUSE, "The house is big! We sleep.")) {
      Translated before = translated(index, LearnedPairs.none(), text);
      Translated after = translated(index, learned, text);
      assertThat(after.text()).isEqualTo(before.text());
      assertThat(after.score()).isEqualTo(before.score());
    }
  }

  /** An index file has the texts of pairs that came with them, and only phrases of others. */
  @Test
  void theTextsThatAnIndexFileWasTaughtStayProbableForTheLanguageModel() {
    LearnedPair words = new LearnedPair("1", 1, "the house", "das gebäude", "0-0 1-1");
    LearnedPair texts = words.withTexts("The house", "Das Gebäude");
    assertThat(translated(appended(words), LearnedPairs.none(1), HOUSE).text())
        .isEqualTo("Wir schlafen! Das haus!");
    Path taught = appended(texts);
    Translated found = translated(taught, LearnedPairs.none(1), HOUSE);
    assertThat(found.text()).isEqualTo("Wir schlafen! Das gebäude!");
    Translated beside = translated(index, LearnedPairs.none().with(List.of(texts)), HOUSE);
    assertThat(found.score()).isEqualTo(beside.score());

    LearnedPairs other = ParallelText.of("one bank ||| das ufer ||| 0-0 1-1").learned(1);
    assertThat(translated(taught, other, HOUSE + " " + BANK).text())
        .isEqualTo("Wir schlafen! Das gebäude! Das ufer ist groß.");
  }

  private Path appended(LearnedPair pair) {
    Path file = folder.resolve("next.lpx");
    LearnedPairs one = LearnedPairs.none().with(List.of(pair));
    PhraseIndexBuilder.append(index, one, file, "", BuildProgress.NONE);
    return file;
  }
}
