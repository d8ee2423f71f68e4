package io.latimer.operators.smt.tune;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.quality.TrainedQuality;
import io.latimer.operators.smt.DecodePhrases;
import io.latimer.operators.smt.Derivation;
import io.latimer.operators.smt.FeatureWeights;
import io.latimer.operators.smt.PhraseQualityFeature;
import io.latimer.operators.text.bleu.Bleu;
import io.latimer.operators.text.bleu.BleuCounts;
import io.latimer.operators.text.bleu.Chrf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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
    Bleu bleu = new Bleu();
    translate(
        weights,
        progress,
        (i, source, translations) -> {
          BleuCounts best = null;
          for (Derivation translation : translations) {
            BleuCounts counts = set.reference(i).count(decoder.words(source, translation));
            lists.take(i, translation, counts);
            best = best == null ? counts : best;
          }
          bleu.add(best);
        });
    return bleu.score();
  }

  /**
   * Trains the judge of the translations with the given weights. Sentences without words are left
   * out.
   *
   * @param rightFrom the {@link Chrf} from which on a translation is right, 0 to 100
   * @param progress takes the number of sentences translated before each batch
   * @throws TrainedQuality.TooFewException if there are too few right translations, or wrong ones
   * @throws OperatorException if a sentence cannot be translated, naming its line
   */
  public TrainedQuality<PhraseQualityFeature> judge(
      FeatureWeights weights, double rightFrom, IntConsumer progress) {
    List<Map<PhraseQualityFeature, Double>> features = new ArrayList<>();
    boolean[] right = new boolean[set.size()];
    translate(
        weights,
        progress,
        (i, source, translations) -> {
          Derivation best = translations.get(0);
          if (!best.phrases().isEmpty()) {
            List<String> words = decoder.words(source, best);
            right[features.size()] = Chrf.of(String.join(" ", words), set.text(i)) >= rightFrom;
            features.add(PhraseQualityFeature.measure(source.size(), best, words));
          }
        });
    return TrainedQuality.train(
        PhraseQualityFeature.class, features, Arrays.copyOf(right, features.size()), rightFrom);
  }

  /** Takes a sentence of a number and its translations, best first. */
  @FunctionalInterface
  private interface Translations {
    void take(int number, SentenceWords source, List<Derivation> translations);
  }

  private void translate(FeatureWeights weights, IntConsumer progress, Translations taker) {
    decoder.reweight(weights);
    for (int from = 0; from < set.size(); from += BATCH) {
      progress.accept(from);
      List<SentenceWords> batch = set.sources(from, Math.min(set.size(), from + BATCH));
      List<Result<List<Derivation>>> results = decoder.apply(batch);
      for (int i = 0; i < batch.size(); i++) {
        if (results.get(i) instanceof Result.Failure<List<Derivation>> failure) {
          throw new OperatorException(
              "line " + set.line(from + i) + ": " + failure.error().getMessage(), failure.error());
        }
        taker.take(from + i, batch.get(i), results.get(i).orElseThrow());
      }
    }
  }
}
