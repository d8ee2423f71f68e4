package io.latimer.operators.nmt;

import io.latimer.operators.nmt.model.QualityFeature;
import io.latimer.operators.quality.QualityModel;
import java.util.Optional;

/**
 * The parts that a translation has besides its text.
 *
 * @param nBest length of its list of alternatives; with 1 there is none
 * @param scores whether it has scores; a list always has them
 * @param alignment whether it has an alignment, which the decoder must provide
 * @param judge of its quality, of a decoder that does not judge itself; without effect if the
 *     decoder gives no scores or no attention
 */
public record TranslatedParts(
    int nBest, boolean scores, boolean alignment, Optional<QualityModel<QualityFeature>> judge) {

  /** Parts without a judged quality. */
  public TranslatedParts(int nBest, boolean scores, boolean alignment) {
    this(nBest, scores, alignment, Optional.empty());
  }

  /** A copy with a judge. */
  TranslatedParts judgedBy(Optional<QualityModel<QualityFeature>> wanted) {
    return new TranslatedParts(nBest, scores, alignment, wanted);
  }
}
