package io.latimer.operators.smt.tune;

import io.latimer.operators.OperatorException;
import io.latimer.operators.smt.DecodePhrases;
import io.latimer.operators.smt.FeatureWeights;
import io.latimer.operators.util.Team;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Tunes the weights of a decoder. An iteration translates all sentences, adds the n-best lists to
 * the pool, and searches for the weights of the next one. Tuning ends when the lists bring nothing
 * new, or the search finds nothing better. The same decoder, sentences and options give the same
 * weights. Not thread-safe.
 */
public final class TuneWeights {
  /** BLEU in the pool that new weights must gain to be tried. */
  private static final double LEAST_GAIN = 0.01;

  private final DevelopmentSet set;
  private final DevelopmentText text;
  private final TuneOptions options;
  private final Consumer<String> steps;
  private final CandidatePool pool;
  private final Random random;
  private FeatureWeights weights;
  private int iteration;

  /**
   * Starts with the decoder's weights.
   *
   * @param decoder is left with the weights tried last
   * @param steps takes a short description of each step that starts, for the user
   */
  public TuneWeights(
      DecodePhrases decoder, DevelopmentSet set, TuneOptions options, Consumer<String> steps) {
    this.text = new DevelopmentText(decoder, set);
    this.set = set;
    this.options = options;
    this.steps = steps;
    this.pool = new CandidatePool(set.size());
    this.random = new Random(options.seed());
    this.weights = decoder.weights();
  }

  /**
   * Translates the sentences with the weights found last, and searches for better ones.
   *
   * @return empty if the tuning has ended
   * @throws OperatorException if a sentence cannot be translated
   */
  public Optional<TuneIteration> next() {
    if (weights == null) {
      return Optional.empty();
    }
    iteration++;
    int known = pool.size();
    double bleu = translate();
    TuneIteration done =
        new TuneIteration(iteration, weights, bleu, pool.size(), pool.size() - known);
    weights = done.added() == 0 || iteration == options.iterations() ? null : better();
    return Optional.of(done);
  }

  /** Adds the n-best lists to the pool; returns BLEU of the best translations. */
  private double translate() {
    return text.bleu(
        weights,
        done ->
            steps.accept(
                "iteration "
                    + iteration
                    + ": translating, "
                    + done
                    + " of "
                    + set.size()
                    + " sentences"),
        (sentence, translation, counts) ->
            pool.add(sentence, new Candidate(translation.features(), counts)));
  }

  /** Weights that choose better translations from the pool; null if none are found. */
  private FeatureWeights better() {
    steps.accept(
        "iteration " + iteration + ": searching weights for " + pool.size() + " candidates");
    double[] start = weights.toArray();
    double bleu = pool.bleu(start);
    WeightSearch.Peak peak =
        new WeightSearch(pool, new Team(Team.defaultThreads()), random)
            .best(start, options.restarts());
    return peak.bleu() - bleu < LEAST_GAIN ? null : FeatureWeights.of(scaled(peak.weights()));
  }

  /** The same weights with absolute values whose sum is 1, which choose the same. */
  private static double[] scaled(double[] weights) {
    double sum = Arrays.stream(weights).map(Math::abs).sum();
    return Arrays.stream(weights).map(weight -> weight / sum).toArray();
  }
}
