package io.latimer.operators.smt;

import io.latimer.operators.quality.QualityModel;
import io.latimer.operators.quality.QualityModel.Term;
import java.util.List;

/**
 * The judge of translations with {@link FeatureWeights#DEFAULT}, trained by {@code latimer tune} on
 * the development set of Multi30k, English to German: {@code
 * benchmarks/results/2026-11-29-quality.md} says how, and how well it does on other texts.
 */
final class DefaultQuality {
  static final QualityModel<PhraseQualityFeature> MODEL =
      new QualityModel<>(
          50,
          1014,
          1.92505,
          List.of(
              term(PhraseQualityFeature.LANGUAGE_MODEL, -1.48079, 0.466095, 0.547019),
              term(PhraseQualityFeature.TRANSLATION, -0.128555, 0.0878883, 0.233214),
              term(PhraseQualityFeature.LEXICAL_TARGET, -0.458982, 0.1102, 0.244173),
              term(PhraseQualityFeature.LEXICAL_SOURCE, -0.35927, 0.145275, 0.193751),
              term(PhraseQualityFeature.COHERENCE, -0.172449, 0.0793874, 0.342341),
              term(PhraseQualityFeature.FREQUENCY, 1.25059, 0.310028, -0.200668),
              term(PhraseQualityFeature.SINGLETONS, 0.308093, 0.274966, -0.310607),
              term(PhraseQualityFeature.PHRASES, 0.520075, 0.129618, -0.261537),
              term(PhraseQualityFeature.DISTORTION, 0.0383013, 0.139419, -0.201628),
              term(PhraseQualityFeature.UNKNOWN, 0.0187238, 0.0442166, -0.394488),
              term(PhraseQualityFeature.LENGTH_RATIO, -0.0362148, 0.103837, 0.0541435),
              term(PhraseQualityFeature.LENGTH, 2.49252, 0.302777, 0.265059),
              term(PhraseQualityFeature.REPETITION, 0.040274, 0.0548062, -0.0959145)));

  private DefaultQuality() {}

  private static Term<PhraseQualityFeature> term(
      PhraseQualityFeature feature, double mean, double deviation, double weight) {
    return new Term<>(feature, mean, deviation, weight);
  }
}
