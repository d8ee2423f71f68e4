package io.latimer.operators.text.bleu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BleuTest {
  private static final double CLOSE = 1e-9;
  private static final String REFERENCE = "the cat sat on the mat today";

  private static double of(String translation, String reference) {
    return Bleu.of(List.of(translation), List.of(reference));
  }

  @Test
  void isWhatTheFormulaGives() {
    assertThat(of(REFERENCE, REFERENCE)).isCloseTo(100, within(CLOSE));
    // 6 words: all match once clipped but one "the"; 1-grams 5/6, 2-grams 3/5, 3-grams 2/4, 4-grams
    // 1/3
    double expected =
        100 * Math.exp(1 - 7 / 6.0) * Math.pow(5 / 6.0 * (3 / 5.0) * (2 / 4.0) * (1 / 3.0), 0.25);
    assertThat(of("cat sat on the the the", REFERENCE)).isCloseTo(expected, within(CLOSE));
    // longer than the reference is no penalty: 8 words, 1-grams 7/8, 6/7, 5/6, 4/5
    expected = 100 * Math.pow(7 / 8.0 * (6 / 7.0) * (5 / 6.0) * (4 / 5.0), 0.25);
    assertThat(of(REFERENCE + " again", REFERENCE)).isCloseTo(expected, within(CLOSE));
    assertThat(of("a b c", "a b c")).as("no 4-gram").isZero();
    assertThat(of("", "a b c d")).isZero();
    assertThat(Bleu.of(List.of(), List.of())).isZero();
  }

  @Test
  void lengthsWithoutAMatchCountAsAPartOfOne() {
    // 1-grams 4/5, 2-grams 1/4, 3-grams 0/3 as 1/2, 4-grams 0/2 as 1/4
    double expected = 100 * Math.pow(4 / 5.0 * (1 / 4.0) * (0.5 / 3) * (0.25 / 2), 0.25);
    assertThat(of("b a c x d", "a c b d y")).isCloseTo(expected, within(CLOSE));
    assertThat(of("v w x y z", "a c b d y")).as("one word").isPositive();
    assertThat(of("v w x z z", "a c b d y")).as("no word").isZero();
  }

  @Test
  void sumsTheSentences() {
    List<String> translations = new ArrayList<>();
    List<String> references = new ArrayList<>();
    Bleu bleu = new Bleu();
    Random random = new Random(1);
    for (int i = 0; i < 50; i++) {
      String translation = words(random);
      String reference = words(random);
      BleuCounts counts =
          new BleuReference(List.of(reference.split(" ", -1)))
              .count(List.of(translation.split(" ", -1)));
      bleu.add(counts);
      if (i % 3 == 0) {
        bleu.remove(counts);
      } else {
        translations.add(translation);
        references.add(reference);
      }
    }
    assertThat(bleu.score()).isEqualTo(Bleu.of(translations, references)).isPositive();
    assertThatThrownBy(() -> Bleu.of(translations, List.of()))
        .hasMessage("33 translations for 0 references");
  }

  private static String words(Random random) {
    StringBuilder words = new StringBuilder("a");
    for (int left = random.nextInt(12); left > 0; left--) {
      words.append(' ').append((char) ('a' + random.nextInt(4)));
    }
    return words.toString();
  }
}
