package io.latimer.operators.align;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.phrases.index.PhraseIndex;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LexiconProbabilitiesTest {
  @TempDir private Path folder;

  private PhraseIndex index(ParallelText text) {
    try (IndexFile file = IndexFile.open(text.index(folder, "x.lpx"))) {
      return PhraseIndex.open(file);
    }
  }

  /** The probability of a word given another: the second word of a sentence of three. */
  private static double of(TranslationProbabilities model, int given, int word, boolean same) {
    double[] probabilities = new double[3];
    Words sentence = new Words(new int[] {1, given, 0}, new int[] {7, 8, 9});
    model.given(sentence).fill(word, same ? 8 : 10, probabilities);
    return probabilities[1];
  }

  @Test
  void smoothsTheLinksOfAnIndex() {
    // The links: a-x twice, a-y once, b-y once, b to nothing once, nothing to x once
    PhraseIndex index =
        index(ParallelText.of("a b ||| x y ||| 0-0 1-1", "a b ||| x y x ||| 0-0 0-1"));
    int a = index.source().id("a");
    int b = index.source().id("b");
    int x = index.target().id("x");
    int y = index.target().id("y");
    TranslationProbabilities target =
        LexiconProbabilities.targetGivenSource(index.lexicon(), index.target().size());
    // The share of a word in the 5 links of x and y, one more for each and for unknown words
    double shareX = 4 / 8.0;
    double shareY = 3 / 8.0;
    double shareUnknown = 1 / 8.0;
    assertThat(of(target, a, x, false)).isEqualTo((2 + shareX) / 4);
    assertThat(of(target, a, y, false)).isEqualTo((1 + shareY) / 4);
    assertThat(of(target, b, x, false)).isEqualTo(shareX / 3);
    assertThat(of(target, b, y, false)).isEqualTo((1 + shareY) / 3);
    assertThat(of(target, b, x, true)).isEqualTo((0.5 + shareX / 2) / 3);
    assertThat(of(target, a, 0, false)).isEqualTo(shareUnknown / 4);
    assertThat(of(target, 0, x, false)).isEqualTo(shareX);
    assertThat(of(target, 0, 0, false)).isEqualTo(shareUnknown);
    assertThat(of(target, 0, 0, true)).isEqualTo(0.5 + shareUnknown / 2);
    assertThat(target.ofNull(x)).isEqualTo((1 + shareX) / 2);
    assertThat(target.ofNull(0)).isEqualTo(shareUnknown / 2);

    TranslationProbabilities source =
        LexiconProbabilities.sourceGivenTarget(index.lexicon(), index.source().size());
    assertThat(of(source, y, b, false)).isEqualTo((1 + 3 / 8.0) / 3);
    assertThat(source.ofNull(b)).isEqualTo((1 + 3 / 8.0) / 2);
  }

  @Test
  void sumsToOneOverAllWords() {
    ParallelText text = ParallelText.random(new Random(3), 40, 6, 9);
    PhraseIndex index = index(text);
    TranslationProbabilities target =
        LexiconProbabilities.targetGivenSource(index.lexicon(), index.target().size());
    double ofNull = 0;
    double ofUnknown = 0;
    for (int word = 0; word < index.target().size(); word++) {
      ofNull += target.ofNull(word);
      ofUnknown += of(target, 0, word, false);
    }
    assertThat(ofNull).isEqualTo(1, within(1e-12));
    assertThat(ofUnknown).isEqualTo(1, within(1e-12));
    for (int given = 1; given < index.source().size(); given++) {
      double sum = 0;
      for (int word = 0; word < index.target().size(); word++) {
        sum += of(target, given, word, false);
      }
      int links = index.lexicon().sourceLinks(given);
      double nothing = index.lexicon().links(given, 0) / (links + LexiconProbabilities.STRENGTH);
      assertThat(sum + nothing).as("given %d", given).isEqualTo(1, within(1e-12));
    }
  }
}
