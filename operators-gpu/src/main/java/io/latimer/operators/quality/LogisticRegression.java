package io.latimer.operators.quality;

import io.latimer.operators.OperatorException;
import io.latimer.operators.quality.QualityModel.Term;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Fits a {@link QualityModel}: logistic regression with a small penalty on the weights, by Newton's
 * method. The same examples give the same numbers.
 */
final class LogisticRegression {
  private static final double PENALTY = 0.01;
  private static final double LEAST_DEVIATION = 1e-6;
  private static final int MOST_STEPS = 100;
  private static final double CLOSE = 1e-9;

  private LogisticRegression() {}

  /**
   * Fits a model.
   *
   * @param features all of each translation
   * @param right whether it is right; some are, and some are not
   * @param rightFrom the chrF from which on it is, for the record
   * @throws OperatorException if the method does not converge
   */
  static <F extends Enum<F>> QualityModel<F> fit(
      Class<F> type, List<Map<F, Double>> features, boolean[] right, double rightFrom) {
    return fit(type, features, right, rightFrom, MOST_STEPS);
  }

  /** The same with a limit of steps. */
  static <F extends Enum<F>> QualityModel<F> fit(
      Class<F> type,
      List<Map<F, Double>> features,
      boolean[] right,
      double rightFrom,
      int mostSteps) {
    List<Term<F>> scales = new ArrayList<>();
    for (F feature : type.getEnumConstants()) {
      double[] values = features.stream().mapToDouble(one -> one.get(feature)).toArray();
      double mean = Arrays.stream(values).average().orElse(0);
      double variance = Arrays.stream(values).map(v -> (v - mean) * (v - mean)).average().orElse(0);
      double deviation = Math.sqrt(variance);
      if (deviation > LEAST_DEVIATION) { // what is the same everywhere tells nothing
        scales.add(new Term<>(feature, rounded(mean), rounded(deviation), 0));
      }
    }
    double[][] rows = new double[right.length][scales.size() + 1];
    for (int i = 0; i < rows.length; i++) {
      for (int k = 0; k < scales.size(); k++) {
        rows[i][k] = scales.get(k).standardized(features.get(i));
      }
      rows[i][scales.size()] = 1;
    }
    double[] weights = newton(rows, right, mostSteps);
    List<Term<F>> terms = new ArrayList<>();
    for (int k = 0; k < scales.size(); k++) {
      Term<F> scale = scales.get(k);
      terms.add(new Term<>(scale.feature(), scale.mean(), scale.deviation(), rounded(weights[k])));
    }
    return new QualityModel<>(rightFrom, right.length, rounded(weights[scales.size()]), terms);
  }

  /** Six digits are plenty, and the same on all machines. */
  private static double rounded(double value) {
    return Double.parseDouble(String.format(Locale.ROOT, "%.6g", value));
  }

  private static double[] newton(double[][] rows, boolean[] right, int mostSteps) {
    int n = rows[0].length;
    double penalty = PENALTY * rows.length;
    double[] weights = new double[n];
    for (int step = 0; step < mostSteps; step++) {
      double[] gradient = new double[n];
      double[][] curvature = new double[n][n];
      for (int i = 0; i < rows.length; i++) {
        double sum = 0;
        for (int k = 0; k < n; k++) {
          sum += weights[k] * rows[i][k];
        }
        double p = 1 / (1 + Math.exp(-sum));
        for (int k = 0; k < n; k++) {
          gradient[k] += (p - (right[i] ? 1 : 0)) * rows[i][k];
          for (int m = 0; m <= k; m++) {
            curvature[k][m] += p * (1 - p) * rows[i][k] * rows[i][m];
          }
        }
      }
      for (int k = 0; k < n; k++) {
        boolean bias = k == n - 1;
        gradient[k] += bias ? 0 : penalty * weights[k];
        curvature[k][k] += bias ? 1e-9 : penalty;
        for (int m = 0; m < k; m++) {
          curvature[m][k] = curvature[k][m];
        }
      }
      double[] change = solve(curvature, gradient);
      double largest = 0;
      for (int k = 0; k < n; k++) {
        weights[k] -= change[k];
        largest = Math.max(largest, Math.abs(change[k]));
      }
      if (largest < CLOSE) {
        return weights;
      }
    }
    throw new OperatorException(
        "the judge's regression did not converge in "
            + mostSteps
            + " steps: use more sentences, or another score from which on a translation is right");
  }

  /** Solves a positive definite system by Gaussian elimination, in place. */
  private static double[] solve(double[][] matrix, double[] right) {
    int n = right.length;
    for (int k = 0; k < n; k++) {
      for (int i = k + 1; i < n; i++) {
        double factor = matrix[i][k] / matrix[k][k];
        for (int j = k; j < n; j++) {
          matrix[i][j] -= factor * matrix[k][j];
        }
        right[i] -= factor * right[k];
      }
    }
    for (int k = n - 1; k >= 0; k--) {
      for (int j = k + 1; j < n; j++) {
        right[k] -= matrix[k][j] * right[j];
      }
      right[k] /= matrix[k][k];
    }
    return right;
  }
}
