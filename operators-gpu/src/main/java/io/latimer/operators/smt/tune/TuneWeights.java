package io.latimer.operators.smt.tune;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.smt.DecodePhrases;
import io.latimer.operators.smt.Derivation;
import io.latimer.operators.smt.FeatureWeights;
import io.latimer.operators.text.Bleu;
import io.latimer.operators.text.BleuCounts;
import io.latimer.operators.util.Team;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Tunes the weights of a decoder. An iteration translates all sentences, adds the n-best lists to
 * those before, and searches the weights for the next one. It ends when the lists bring nothing
 * new, or the search finds nothing better. The same decoder, sentences and options give the same
 * weights. Not thread-safe.
 */
public final class TuneWeights {
  /** Sentences that are translated together. */
  private static final int BATCH = 64;

  /** BLEU in the pool that new weights must gain to be tried. */
  private static final double LEAST_GAIN = 0.01;

  private final DecodePhrases decoder;
  private final DevelopmentSet set;
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
    this.decoder = decoder;
    this.set = set;
    this.options = options;
    this.steps = steps;
    this.pool = new CandidatePool(set.size());
    this.random = new Random(options.seed());
    this.weights = decoder.weights();
  }

  /**
   * Translates the sentences with the weights found last, and searches better ones.
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
    decoder.reweight(weights);
    double bleu = translate();
    TuneIteration done =
        new TuneIteration(iteration, weights, bleu, pool.size(), pool.size() - known);
    weights = done.added() == 0 || iteration == options.iterations() ? null : better();
    return Optional.of(done);
  }

  /** Adds the n-best lists to the pool; gives BLEU of the best translations. */
  private double translate() {
    Bleu bleu = new Bleu();
    for (int from = 0; from < set.size(); from += BATCH) {
      steps.accept(
          "iteration " + iteration + ": translating, " + from + " of " + set.size() + " sentences");
      List<SentenceWords> batch = set.sources().subList(from, Math.min(set.size(), from + BATCH));
      List<Result<List<Derivation>>> lists = decoder.apply(batch);
      for (int i = 0; i < batch.size(); i++) {
        bleu.add(add(from + i, lists.get(i)));
      }
    }
    return bleu.score();
  }

  /** Adds the n-best list of a sentence; gives the counts of the best translation. */
  private BleuCounts add(int sentence, Result<List<Derivation>> result) {
    if (result instanceof Result.Failure<List<Derivation>> failure) {
      throw new OperatorException(
          "sentence " + (sentence + 1) + ": " + failure.error().getMessage(), failure.error());
    }
    BleuCounts best = null;
    for (Derivation translation : result.orElseThrow()) {
      List<String> words = decoder.words(set.sources().get(sentence), translation);
      BleuCounts counts = set.reference(sentence).count(words);
      pool.add(sentence, new Candidate(translation.features(), counts));
      best = best == null ? counts : best;
    }
    return best;
  }

  /** Weights that choose better translations from the pool; null if none are found. */
  private FeatureWeights better() {
    steps.accept(
        "iteration " + iteration + ": searching weights for " + pool.size() + " candidates");
    double[] start = weights.toArray();
    double bleu = pool.bleu(start);
    try (Team team = new Team(Team.defaultThreads(), "tune")) {
      WeightSearch.Peak peak = new WeightSearch(pool, team, random).best(start, options.restarts());
      return peak.bleu() - bleu < LEAST_GAIN ? null : FeatureWeights.of(scaled(peak.weights()));
    }
  }

  /** The same weights with absolute values whose sum is 1, which choose the same. */
  private static double[] scaled(double[] weights) {
    double sum = Arrays.stream(weights).map(Math::abs).sum();
    return Arrays.stream(weights).map(weight -> weight / sum).toArray();
  }
}
