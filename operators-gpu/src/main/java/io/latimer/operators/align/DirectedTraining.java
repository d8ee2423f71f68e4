package io.latimer.operators.align;

import io.latimer.operators.util.Team;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Trains the model of one direction by expectation maximization (Dyer, Chahuneau and Smith 2013):
 * the probabilities of words given the words of the other side, with a Dirichlet prior (variational
 * Bayes), and the tension of the {@link DiagonalPrior}, which gradient steps fit to the expected
 * links.
 *
 * <p>Expected counts are summed up as whole numbers, so that the result does not depend on the
 * number of threads or their order.
 */
final class DirectedTraining {
  private static final double FIRST_TENSION = 4;
  private static final double LOWEST_TENSION = 0.1;
  private static final double HIGHEST_TENSION = 14;
  private static final int TENSION_STEPS = 8;
  private static final double TENSION_RATE = 20;

  /** Fixed-point units per count of 1: a text has up to 2^31 words, so sums stay below 2^63. */
  private static final double UNITS = 1L << 32;

  /** Sentence pairs that a thread takes at a time. */
  private static final int SHARE = 256;

  private final SentencePairs text;
  private final WordPairs pairs;
  private final boolean targetGivenSource;
  private final TrainingOptions options;
  private final Team team;
  private final float[] probabilities;
  private double tension = FIRST_TENSION;

  /**
   * Makes an untrained model, whose probabilities are uniform.
   *
   * @param targetGivenSource the direction: whether target words are generated
   */
  DirectedTraining(
      SentencePairs text,
      WordPairs pairs,
      boolean targetGivenSource,
      TrainingOptions options,
      Team team) {
    this.text = text;
    this.pairs = pairs;
    this.targetGivenSource = targetGivenSource;
    this.options = options;
    this.team = team;
    this.probabilities = new float[pairs.slots()];
    Arrays.fill(probabilities, 1); // uniform
  }

  /** The aligner of the model as it is now. */
  DirectedAligner aligner() {
    return new DirectedAligner(
        new Trained(), new DiagonalPrior(tension, options.nullProbability()));
  }

  double tension() {
    return tension;
  }

  /** The probability of a word given another one, or given nothing (0); the two must co-occur. */
  double probability(int given, int word) {
    return probabilities[slot(given, word)];
  }

  private int slot(int given, int word) {
    return targetGivenSource ? pairs.slot(given, word) : pairs.slot(word, given);
  }

  /**
   * Runs one iteration of expectation maximization over the text.
   *
   * @param fitTension whether to change the tension, too
   */
  void iterate(boolean fitTension) {
    AtomicLongArray counts = new AtomicLongArray(pairs.slots());
    AtomicLong distance = new AtomicLong();
    DiagonalPrior prior = new DiagonalPrior(tension, options.nullProbability());
    team.forEach(text.size(), SHARE, i -> count(i, prior, counts, distance));
    maximize(counts);
    if (fitTension) {
      fitTension(distance.get() / UNITS);
    }
  }

  private void count(int pair, DiagonalPrior prior, AtomicLongArray counts, AtomicLong distance) {
    if (!text.isAlignable(pair)) {
      return;
    }
    int[] given = given(pair);
    int[] words = words(pair);
    double[] posterior = new double[given.length];
    int[] slots = new int[given.length];
    double distances = 0;
    for (int j = 0; j < words.length; j++) {
      prior.fill(j, words.length, posterior);
      int ofNothing = slot(0, words[j]);
      double nothing = prior.nullProbability() * probabilities[ofNothing];
      double sum = nothing;
      for (int i = 0; i < given.length; i++) {
        slots[i] = slot(given[i], words[j]);
        posterior[i] *= probabilities[slots[i]];
        sum += posterior[i];
      }
      counts.getAndAdd(ofNothing, Math.round(nothing / sum * UNITS));
      for (int i = 0; i < given.length; i++) {
        double share = posterior[i] / sum;
        counts.getAndAdd(slots[i], Math.round(share * UNITS));
        distances += share * DiagonalPrior.distance(j, words.length, i, given.length);
      }
    }
    distance.addAndGet(Math.round(distances * UNITS));
  }

  private int[] given(int pair) {
    return targetGivenSource ? text.source(pair) : text.target(pair);
  }

  private int[] words(int pair) {
    return targetGivenSource ? text.target(pair) : text.source(pair);
  }

  private int given(WordPairs pairs, int slot) {
    return targetGivenSource ? pairs.source(slot) : pairs.target(slot);
  }

  /** Whether a slot has a pair that this direction can link. */
  private boolean isUsed(int slot) {
    return !pairs.isFree(slot)
        && (targetGivenSource ? pairs.target(slot) : pairs.source(slot)) != 0;
  }

  private void maximize(AtomicLongArray counts) {
    int vocabulary = targetGivenSource ? text.sourceVocabulary() : text.targetVocabulary();
    long[] totals = new long[vocabulary];
    int[] translations = new int[vocabulary];
    for (int slot = 0; slot < pairs.slots(); slot++) {
      if (isUsed(slot)) {
        totals[given(pairs, slot)] += counts.get(slot);
        translations[given(pairs, slot)]++;
      }
    }
    double alpha = options.concentration();
    double[] ofTotals = new double[vocabulary];
    for (int given = 0; given < vocabulary; given++) {
      ofTotals[given] = digamma(totals[given] / UNITS + alpha * Math.max(1, translations[given]));
    }
    team.forEach(
        pairs.slots(),
        1 << 14,
        slot -> {
          if (isUsed(slot)) {
            double ofCount = digamma(counts.get(slot) / UNITS + alpha);
            double probability = StrictMath.exp(ofCount - ofTotals[given(pairs, slot)]);
            probabilities[slot] = (float) Math.max(Float.MIN_NORMAL, probability);
          }
        });
  }

  /**
   * Fits the tension, so that the prior's expected distance from the diagonal is the one found.
   *
   * @param found the sum of the distances of all expected links
   */
  private void fitTension(double found) {
    Map<Long, Integer> sizes = new TreeMap<>();
    long words = 0;
    for (int i = 0; i < text.size(); i++) {
      if (text.isAlignable(i)) {
        int length = words(i).length;
        sizes.merge((long) length << 32 | given(i).length, 1, Integer::sum);
        words += length;
      }
    }
    for (int step = 0; step < TENSION_STEPS && words > 0; step++) {
      double expected = 0;
      DiagonalPrior prior = new DiagonalPrior(tension, 0);
      for (Map.Entry<Long, Integer> size : sizes.entrySet()) {
        int length = (int) (size.getKey() >>> 32);
        expected += size.getValue() * expected(prior, length, size.getKey().intValue());
      }
      // the farther from the diagonal, the lower the tension
      double change = (expected - found) / words * TENSION_RATE;
      tension = Math.min(HIGHEST_TENSION, Math.max(LOWEST_TENSION, tension + change));
    }
  }

  /** The sum of the distances that a prior expects in a sentence pair. */
  private static double expected(DiagonalPrior prior, int words, int given) {
    double[] row = new double[given];
    double sum = 0;
    for (int j = 0; j < words; j++) {
      prior.fill(j, words, row);
      for (int i = 0; i < given; i++) {
        sum += row[i] * DiagonalPrior.distance(j, words, i, given);
      }
    }
    return sum;
  }

  /** The derivative of the logarithm of the gamma function, for x above 0. */
  static double digamma(double x) {
    double result = 0;
    double at = x;
    while (at < 6) {
      result -= 1 / at; // from its recurrence
      at++;
    }
    double square = 1 / (at * at); // then its asymptotic series
    return result
        + StrictMath.log(at)
        - 0.5 / at
        - square * (1.0 / 12 - square * (1.0 / 120 - square * (1.0 / 252 - square / 240)));
  }

  /** The probabilities of the trained model. */
  private final class Trained implements TranslationProbabilities {
    @Override
    public Given given(Words sentence) {
      return (word, spelling, row) -> {
        for (int i = 0; i < row.length; i++) {
          row[i] = probability(sentence.id(i), word);
        }
      };
    }

    @Override
    public double ofNull(int word) {
      return probability(0, word);
    }
  }
}
