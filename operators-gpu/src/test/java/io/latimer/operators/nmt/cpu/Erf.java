package io.latimer.operators.nmt.cpu;

/** The error function in 64 bits, by its series or by the continued fraction of its complement. */
final class Erf {
  private Erf() {}

  static double of(double x) {
    if (x < 0) {
      return -of(-x);
    }
    if (x < 3) {
      double term = x;
      double sum = x;
      for (int n = 1; Math.abs(term) > 1e-17; n++) {
        term *= -x * x / n;
        sum += term / (2 * n + 1);
      }
      return 2 / Math.sqrt(Math.PI) * sum;
    }
    double fraction = x;
    for (int n = 60; n > 0; n--) {
      fraction = x + n / 2.0 / fraction;
    }
    return 1 - Math.exp(-x * x) / Math.sqrt(Math.PI) / fraction;
  }
}
