package io.latimer.operators.smt;

import io.latimer.operators.OperatorException;
import io.latimer.operators.quality.QualityModel;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * The weight of each {@link Feature}, and the judge of the translations that they find, if there is
 * one. Immutable.
 */
public final class FeatureWeights implements Serializable {
  private static final long serialVersionUID = 1L;

  /**
   * Weights tuned on the development set of Multi30k, English to German, which suit other texts,
   * too: {@code benchmarks/results/2026-11-24-cpu-smt.md}; with a judge trained there.
   */
  public static final FeatureWeights DEFAULT =
      new FeatureWeights(
          DefaultQuality.MODEL, 1, 0.67, 0.35, 0.81, 0.21, 0.17, -0.06, 0.87, -0.48, 0.39, 1.7);

  private final double[] weights; // by column
  private final QualityModel<PhraseQualityFeature> judge; // null if there is none

  private FeatureWeights(QualityModel<PhraseQualityFeature> judge, double... weights) {
    this.judge = judge;
    this.weights = weights;
  }

  /**
   * Makes weights without a judge.
   *
   * @param weights one per feature, in their order; copied
   * @throws OperatorException if there is another number of them, or one is not finite
   */
  public static FeatureWeights of(double[] weights) {
    if (weights.length != Feature.COUNT) {
      throw new OperatorException(
          "expected " + Feature.COUNT + " feature weights, found " + weights.length);
    }
    for (Feature feature : Feature.values()) {
      if (!Double.isFinite(weights[feature.column])) {
        throw new OperatorException(
            "the weight of "
                + feature.key()
                + " must be a finite number, found "
                + weights[feature.column]);
      }
    }
    return new FeatureWeights(null, weights.clone());
  }

  /**
   * Reads a file of weights: YAML, a weight for each {@link Feature#key}, and a section {@code
   * quality} with their judge. A feature that it does not name has the weight that it has in {@link
   * #DEFAULT}; without the section there is no judge.
   *
   * @throws OperatorException saying which line is wrong, if it cannot be read, names something
   *     else or a feature twice, or has a number that is not finite or out of range
   */
  public static FeatureWeights read(Path file) {
    return WeightsFile.read(file);
  }

  /** The text of a file that {@link #read} reads: these weights and their judge to the last bit. */
  public String toYaml() {
    return WeightsFile.write(this);
  }

  /** The weight of a feature. */
  public double of(Feature feature) {
    return weights[feature.column];
  }

  /** What judges whether a translation with these weights is right; empty for nothing. */
  public Optional<QualityModel<PhraseQualityFeature>> judge() {
    return Optional.ofNullable(judge);
  }

  /** The same weights with another judge, or without one. */
  public FeatureWeights judgedBy(Optional<QualityModel<PhraseQualityFeature>> other) {
    return new FeatureWeights(other.orElse(null), weights);
  }

  /** The weights in the order of the features; a copy. */
  public double[] toArray() {
    return weights.clone();
  }

  /** A copy with one weight changed and without a judge, which knows the old weights only. */
  public FeatureWeights with(Feature feature, double weight) {
    double[] changed = weights.clone();
    changed[feature.column] = weight;
    return of(changed);
  }

  /** The score of a translation: the sum of its features times their weights. */
  public double score(double[] features) {
    double score = 0;
    for (int i = 0; i < weights.length; i++) {
      score += weights[i] * features[i];
    }
    return score;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FeatureWeights that
        && Arrays.equals(weights, that.weights)
        && Objects.equals(judge, that.judge);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(weights) + Objects.hashCode(judge);
  }

  @Override
  public String toString() {
    return Arrays.toString(weights) + (judge == null ? "" : " " + judge);
  }
}
