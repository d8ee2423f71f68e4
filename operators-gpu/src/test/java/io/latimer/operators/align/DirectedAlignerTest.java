package io.latimer.operators.align;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class DirectedAlignerTest {
  /** Probabilities of random words, the same for the same words. */
  private static final class Drawn implements TranslationProbabilities {
    private final double[][] given;
    private final double[] ofNull;

    Drawn(double[][] given, double[] ofNull) {
      this.given = given;
      this.ofNull = ofNull;
    }

    static Drawn of(Random random, int givenWords, int words) {
      double[][] given = new double[givenWords][words];
      double[] ofNull = new double[words];
      for (double[] row : given) {
        for (int word = 0; word < words; word++) {
          row[word] = random.nextDouble();
        }
      }
      for (int word = 0; word < words; word++) {
        ofNull[word] = random.nextDouble();
      }
      return new Drawn(given, ofNull);
    }

    @Override
    public Given given(Words sentence) {
      return (word, spelling, probabilities) -> {
        for (int i = 0; i < sentence.size(); i++) {
          probabilities[i] = of(sentence.id(i), word, sentence.spelling(i) == spelling);
        }
      };
    }

    double of(int given, int word, boolean same) {
      return same ? 1 : this.given[given][word];
    }

    @Override
    public double ofNull(int word) {
      return ofNull[word];
    }
  }

  @Test
  void linksEachWordToItsMostProbablePlace() {
    Random random = new Random(5);
    for (int round = 0; round < 500; round++) {
      Drawn drawn = Drawn.of(random, 5, 6);
      DiagonalPrior prior = new DiagonalPrior(8 * random.nextDouble(), 0.3 * random.nextDouble());
      Words given = words(random, 5, 0);
      Words words = words(random, 6, random.nextInt(7));
      int[] places = new DirectedAligner(drawn, prior).align(given, words);
      double[] priors = new double[given.size()];
      for (int j = 0; j < words.size(); j++) {
        prior.fill(j, words.size(), priors);
        double ofNull = prior.nullProbability() * drawn.ofNull(words.id(j));
        double best = ofNull;
        double found = ofNull;
        for (int i = 0; i < given.size(); i++) {
          boolean same = given.spelling(i) == words.spelling(j);
          double probability = priors[i] * drawn.of(given.id(i), words.id(j), same);
          best = Math.max(best, probability);
          found = places[j] == i ? probability : found;
        }
        assertThat(found).isEqualTo(best, within(1e-15));
      }
    }
  }

  private static Words words(Random random, int vocabulary, int firstSpelling) {
    int[] ids = new int[1 + random.nextInt(8)];
    int[] spellings = new int[ids.length];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = random.nextInt(vocabulary);
      spellings[i] = firstSpelling + ids[i];
    }
    return new Words(ids, spellings);
  }

  @Test
  void prefersNothingAndThenTheFirstOfEquallyProbablePlaces() {
    TranslationProbabilities all = new Drawn(new double[][] {{0.5}}, new double[] {0.5});
    Words one = new Words(new int[1], new int[] {1});
    Words three = new Words(new int[3], new int[] {2, 3, 4});
    assertThat(new DirectedAligner(all, new DiagonalPrior(0, 0.25)).align(three, one))
        .containsExactly(DirectedAligner.UNALIGNED);
    assertThat(new DirectedAligner(all, new DiagonalPrior(0, 0.1)).align(three, one))
        .containsExactly(0);
  }
}
