package io.latimer.operators.smt.tune;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.smt.DecodePhrases;
import io.latimer.operators.smt.Derivation;
import io.latimer.operators.smt.FeatureWeights;
import io.latimer.operators.text.bleu.Bleu;
import io.latimer.operators.text.bleu.BleuCounts;
import java.util.List;
import java.util.function.IntConsumer;

/** Translates the sentences of a development set and compares them with its references. */
public final class DevelopmentText {
  /** Sentences that are translated together. */
  private static final int BATCH = 64;

  private final DecodePhrases decoder;
  private final DevelopmentSet set;

  /**
   * @param decoder is left with the weights used last
   */
  public DevelopmentText(DecodePhrases decoder, DevelopmentSet set) {
    this.decoder = decoder;
    this.set = set;
  }

  /** The number of sentences. */
  public int size() {
    return set.size();
  }

  /** Takes a translation of a sentence, the best one first, and its counts for BLEU. */
  @FunctionalInterface
  interface Taker {
    void take(int sentence, Derivation translation, BleuCounts counts);
  }

  /**
   * BLEU of the best translations with the given weights.
   *
   * @param progress takes the number of sentences translated before each batch
   * @throws OperatorException if a sentence cannot be translated, naming its line
   */
  public double bleu(FeatureWeights weights, IntConsumer progress) {
    return bleu(weights, progress, (sentence, translation, counts) -> {});
  }

  /**
   * BLEU of the best translations with the given weights.
   *
   * @param lists takes all translations of the n-best lists
   */
  double bleu(FeatureWeights weights, IntConsumer progress, Taker lists) {
    decoder.reweight(weights);
    Bleu bleu = new Bleu();
    for (int from = 0; from < set.size(); from += BATCH) {
      progress.accept(from);
      List<SentenceWords> batch = set.sources().subList(from, Math.min(set.size(), from + BATCH));
      List<Result<List<Derivation>>> results = decoder.apply(batch);
      for (int i = 0; i < batch.size(); i++) {
        bleu.add(best(from + i, results.get(i), lists));
      }
    }
    return bleu.score();
  }

  /** Passes on the n-best list of a sentence; returns the counts of the best translation. */
  private BleuCounts best(int sentence, Result<List<Derivation>> result, Taker lists) {
    if (result instanceof Result.Failure<List<Derivation>> failure) {
      throw new OperatorException(
          "line " + set.line(sentence) + ": " + failure.error().getMessage(), failure.error());
    }
    BleuCounts best = null;
    for (Derivation translation : result.orElseThrow()) {
      List<String> words = decoder.words(set.sources().get(sentence), translation);
      BleuCounts counts = set.reference(sentence).count(words);
      lists.take(sentence, translation, counts);
      best = best == null ? counts : best;
    }
    return best;
  }
}
