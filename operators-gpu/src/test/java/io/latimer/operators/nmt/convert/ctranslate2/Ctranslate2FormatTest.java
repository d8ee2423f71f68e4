package io.latimer.operators.nmt.convert.ctranslate2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Positions;
import io.latimer.operators.nmt.model.SearchSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import io.latimer.operators.text.SentenceFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** The families of models are told apart by flags, networks and vocabularies. */
final class Ctranslate2FormatTest {
  private static final List<String> WORDS = List.of("</s>", "<unk>", "<s>", "<pad>", "a", "b");
  private static final int START = 2;

  private static Ctranslate2Settings settings(String start, boolean begin, boolean end) {
    return new Ctranslate2Settings(
        "m/model.bin",
        "<unk>",
        "<s>",
        "</s>",
        Optional.of(start),
        begin,
        end,
        OptionalDouble.empty());
  }

  private static TransformerVariant network(Positions positions, int start, boolean normalized) {
    return new TransformerVariant(
        positions,
        positions == Positions.SINUSOIDAL ? 1 : 0,
        positions == Positions.LEARNED ? 64 : 0,
        positions == Positions.RELATIVE ? 32 : 0,
        positions == Positions.RELATIVE ? 128 : 0,
        false,
        normalized,
        false,
        1e-5,
        false,
        0,
        true,
        0,
        start,
        1,
        false,
        SearchSettings.MARIAN);
  }

  private static final TransformerVariant PLAIN = network(Positions.SINUSOIDAL, START, false);

  private static SentenceFormat format(
      Ctranslate2Settings settings, TransformerVariant network, String... languages) {
    List<String> words = new ArrayList<>(WORDS);
    words.addAll(List.of(languages));
    return Ctranslate2Format.of(settings, network, words, words);
  }

  private static SentenceFormat expected(
      List<String> start, List<String> end, List<String> target, String... languages) {
    return new SentenceFormat(start, end, target, List.of(languages));
  }

  @Test
  void modelsOfOpenNmtHaveWhatTheirFlagsSay() {
    assertThat(format(settings("<s>", false, false), PLAIN))
        .isEqualTo(expected(List.of(), List.of(), List.of()));
    assertThat(format(settings("<s>", true, true), PLAIN))
        .isEqualTo(expected(List.of("<s>"), List.of("{end}"), List.of()));
    assertThat(format(settings("<s>", true, false), PLAIN))
        .isEqualTo(expected(List.of("<s>"), List.of(), List.of()));
    assertThat(format(settings("</s>", false, true), PLAIN)).isEqualTo(SentenceFormat.PLAIN);
    assertThat(format(settings("<s>", false, false), PLAIN, "en_US", "de_DE", "ab_XX"))
        .as("words that look like languages, in a model whose decoder starts with <s>")
        .isEqualTo(expected(List.of(), List.of(), List.of()));
    assertThat(format(settings("</s>", false, true), PLAIN, "en_US", "de_DE"))
        .as("words of a Fairseq model")
        .isEqualTo(SentenceFormat.PLAIN);
  }

  @Test
  void modelsOfTransformersGetWhatTheirTokenizersAdd() {
    TransformerVariant zero = network(Positions.LEARNED, TransformerVariant.NO_START, false);
    assertThat(format(settings("</s>", false, false), zero)).isEqualTo(SentenceFormat.PLAIN);
    TransformerVariant t5 = network(Positions.RELATIVE, 3, false);
    assertThat(format(settings("<pad>", false, false), t5)).isEqualTo(SentenceFormat.PLAIN);
    assertThat(format(settings("<pad>", false, false), network(Positions.LEARNED, 3, false)))
        .as("Pegasus")
        .isEqualTo(SentenceFormat.PLAIN);
    TransformerVariant bart = network(Positions.LEARNED, 0, true);
    assertThat(format(settings("</s>", false, false), bart))
        .isEqualTo(expected(List.of("<s>"), List.of("{end}"), List.of()));
    assertThat(format(settings("</s>", false, true), bart))
        .as("BART of Fairseq")
        .isEqualTo(SentenceFormat.PLAIN);
  }

  @Test
  void languagesAreAtTheSentenceAndAtTheStartOfTheTranslation() {
    List<String[]> families =
        List.of(
            new String[] {"eng_Latn", "deu_Latn"},
            new String[] {"__en__", "__de__", "__fr__"},
            new String[] {"en_XX", "de_DE"});
    for (String[] languages : families) {
      SentenceFormat around =
          expected(List.of("{source}"), List.of("{end}"), List.of("{target}"), languages);
      assertThat(format(settings("</s>", false, false), PLAIN, languages)).isEqualTo(around);
      assertThat(format(settings("</s>", false, true), PLAIN, languages)).isEqualTo(around);
    }
  }

  @Test
  void orTheTargetsAreBeforeTheSentence() {
    TransformerVariant zero = network(Positions.LEARNED, TransformerVariant.NO_START, false);
    assertThat(format(settings("</s>", false, false), zero, ">>deu<<", ">>fra<<"))
        .isEqualTo(
            expected(List.of("{target}"), List.of("{end}"), List.of(), ">>deu<<", ">>fra<<"));
    assertThat(format(settings("<s>", false, true), PLAIN, ">>deu<<"))
        .isEqualTo(expected(List.of("{target}"), List.of("{end}"), List.of(), ">>deu<<"));
    TransformerVariant t5 = network(Positions.RELATIVE, START, false);
    assertThat(format(settings("<s>", false, false), t5, "<2de>", "<2pt_BR>"))
        .isEqualTo(expected(List.of("{target}"), List.of("{end}"), List.of(), "<2de>", "<2pt_BR>"));
    assertThat(format(settings("<s>", true, false), PLAIN, "<2de>"))
        .as("OpenNMT")
        .isEqualTo(expected(List.of("<s>", "{target}"), List.of(), List.of(), "<2de>"));
  }

  @Test
  void whatSentencesCannotHaveIsRefused() {
    List<String> source = List.of("</s>", "<unk>", "a", "eng_Latn", "hin_Deva");
    assertThatThrownBy(
            () -> Ctranslate2Format.of(settings("</s>", false, true), PLAIN, source, WORDS))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageStartingWith("m/model.bin: the source vocabulary names languages, such as")
        .hasMessageContaining("eng_Latn");
    assertThatThrownBy(
            () -> Ctranslate2Format.of(settings("<s>", true, true), PLAIN, source, WORDS))
        .isInstanceOf(ModelFormatException.class)
        .hasMessage("m/model.bin: expected the token <s> in the vocabulary of 5");
  }
}
