package io.latimer.operators.nmt.cpu;

/**
 * Elementwise arithmetic on array slices, written so that HotSpot vectorizes the loops: simple
 * bodies, no branches, and the same index into every array. Java 17 does not vectorize a loop that
 * reads one array at an offset and another without, so what is read often is first copied to the
 * start of an array. A result depends only on its element, never on its position or on the length.
 */
public final class Vectors {
  /** Beyond this, tanh is 1 in 32 bits. */
  private static final float SATURATED = 9f;

  /** Beyond this, erf is 1 in 32 bits. */
  private static final float ERF_SATURATED = 4f;

  private static final float SQRT_HALF = 0.70710677f;

  private static final float LOG2_E = 1.442695f;

  /**
   * Adding it to a float up to 2^22 leaves the nearest integer in the lowest bits; subtracting it
   * again rounds.
   */
  static final float ROUNDER = 12582912f;

  /** Values whose maximum is found one by one. */
  private static final int FEW = 32;

  private Vectors() {}

  /** {@code out[i] = x[xo + i] + y[yo + i]}. */
  static void add(float[] x, int xo, float[] y, int yo, float[] out, int n) {
    for (int i = 0; i < n; i++) {
      out[i] = x[xo + i] + y[yo + i];
    }
  }

  /** {@code x[i] += y[i]}. */
  static void addTo(float[] x, float[] y, int n) {
    for (int i = 0; i < n; i++) {
      x[i] += y[i];
    }
  }

  /** {@code x[xo + i] += y[i]}. */
  static void addTo(float[] x, int xo, float[] y, int n) {
    for (int i = 0; i < n; i++) {
      x[xo + i] += y[i];
    }
  }

  /** {@code x[xo + i] += factor * y[yo + i]}. */
  static void addScaled(float[] x, int xo, float factor, float[] y, int yo, int n) {
    for (int i = 0; i < n; i++) {
      x[xo + i] = Math.fma(factor, y[yo + i], x[xo + i]);
    }
  }

  /** {@code x[i] += factors[i] * y[i]}. */
  static void addProducts(float[] x, float[] factors, float[] y, int n) {
    for (int i = 0; i < n; i++) {
      x[i] = Math.fma(factors[i], y[i], x[i]);
    }
  }

  /** Replaces n values by their logistic function, with an error below 4e-7. */
  static void sigmoid(float[] x, int n) {
    for (int i = 0; i < n; i++) {
      x[i] *= 0.5f;
    }
    tanh(x, n);
    for (int i = 0; i < n; i++) {
      x[i] = Math.fma(0.5f, x[i], 0.5f);
    }
  }

  /**
   * Replaces n values by {@code x * sigmoid(factor * x)}.
   *
   * @param scratch at least n values, overwritten
   */
  static void swish(float[] x, int xo, float factor, int n, float[] scratch) {
    for (int i = 0; i < n; i++) {
      scratch[i] = factor * x[xo + i];
    }
    sigmoid(scratch, n);
    for (int i = 0; i < n; i++) {
      x[xo + i] *= scratch[i];
    }
  }

  /** Replaces n values by {@code x / 2 * (1 + erf(x / sqrt(2)))}, with an error below 4e-7 |x|. */
  static void gelu(float[] x, int xo, int n, float[] scratch) {
    for (int i = 0; i < n; i++) {
      scratch[i] = SQRT_HALF * x[xo + i];
    }
    erf(scratch, n);
    for (int i = 0; i < n; i++) {
      x[xo + i] *= Math.fma(0.5f, scratch[i], 0.5f);
    }
  }

  /** Replaces n values by {@code x * sigmoid(factor * (x + cube * x^3))}. */
  static void gelu(float[] x, int xo, float factor, float cube, int n, float[] scratch) {
    for (int i = 0; i < n; i++) {
      float v = x[xo + i];
      scratch[i] = factor * v * Math.fma(cube, v * v, 1f);
    }
    sigmoid(scratch, n);
    for (int i = 0; i < n; i++) {
      x[xo + i] *= scratch[i];
    }
  }

  /**
   * Replaces n values by their error function, with an error below 4e-7: a rational function of the
   * square, fitted for minimum relative error from -4 to 4.
   */
  static void erf(float[] x, int n) {
    for (int i = 0; i < n; i++) {
      x[i] = Math.max(-ERF_SATURATED, Math.min(ERF_SATURATED, x[i]));
    }
    for (int i = 0; i < n; i++) {
      float v = x[i];
      float t = v * v;
      float p = Math.fma(t, 1.9867869e-6f, 2.84566e-4f);
      p = Math.fma(t, p, 0.0038833371f);
      p = Math.fma(t, p, 0.053101722f);
      p = Math.fma(t, p, 0.19354486f);
      p = Math.fma(t, p, 1.1283791f);
      float q = Math.fma(t, 3.742023e-5f, 0.00118557f);
      q = Math.fma(t, q, 0.015207237f);
      q = Math.fma(t, q, 0.115349926f);
      q = Math.fma(t, q, 0.50485724f);
      q = Math.fma(t, q, 1f);
      x[i] = v * p / q;
    }
  }

  /** Multiplies n values by a factor. */
  static void scale(float[] x, int xo, float factor, int n) {
    for (int i = 0; i < n; i++) {
      x[xo + i] *= factor;
    }
  }

  /** Multiplies n values by others. */
  static void multiply(float[] x, int xo, float[] y, int yo, int n) {
    for (int i = 0; i < n; i++) {
      x[xo + i] *= y[yo + i];
    }
  }

  /** Replaces negative values among n by zero. */
  static void relu(float[] x, int xo, int n) {
    for (int i = 0; i < n; i++) {
      x[xo + i] = Math.max(0f, x[xo + i]);
    }
  }

  /**
   * Replaces n values by their hyperbolic tangent, with a relative error below 4e-7: a rational
   * function of the square, fitted for minimum relative error from -9 to 9.
   */
  static void tanh(float[] x, int n) {
    for (int i = 0; i < n; i++) {
      x[i] = Math.max(-SATURATED, Math.min(SATURATED, x[i]));
    }
    for (int i = 0; i < n; i++) {
      float v = x[i];
      float t = v * v;
      float p =
          Math.fma(
              t,
              Math.fma(
                  t,
                  Math.fma(t, Math.fma(t, 1.3354768e-8f, 2.0609159e-5f), 0.0034955929f),
                  0.1338103f),
              1f);
      float q =
          Math.fma(
              t,
              Math.fma(
                  t, Math.fma(t, Math.fma(t, 7.776602e-7f, 3.2856426e-4f), 0.025877f), 0.46714345f),
              1f);
      x[i] = v * p / q;
    }
  }

  /**
   * The largest of n values, which are overwritten; NaN if one is.
   *
   * @param scratch at least {@code n / 2} values, overwritten
   */
  static float max(float[] x, int n, float[] scratch) {
    int left = n;
    while (left > FEW) {
      int half = left / 2;
      x[0] = Math.max(x[0], x[left - 1]); // the odd one
      System.arraycopy(x, half, scratch, 0, half);
      for (int i = 0; i < half; i++) {
        x[i] = Math.max(x[i], scratch[i]);
      }
      left = half;
    }
    float max = Float.NEGATIVE_INFINITY;
    for (int i = 0; i < left; i++) {
      max = Math.max(max, x[i]);
    }
    return max;
  }

  /** Replaces n values by their magnitudes. */
  static void magnitudes(float[] x, int n) {
    for (int i = 0; i < n; i++) {
      x[i] = Math.abs(x[i]);
    }
  }

  /**
   * Replaces n values by {@code exp(x - max)}, with a relative error of 3e-7 plus 1.2e-7 per unit
   * of the exponent, due to the exponent's own rounding; results below 2^-125 become about that.
   * Values must not exceed max.
   *
   * @param scratch overwritten
   */
  static void exp(float[] x, int n, float max, PowersOfTwo scratch) {
    for (int i = 0; i < n; i++) {
      x[i] = (x[i] - max) * LOG2_E;
    }
    for (int i = 0; i < n; i++) {
      x[i] = Math.max(-125f, x[i]);
    }
    float[] powers = scratch.room(n);
    for (int i = 0; i < n; i++) {
      float z = x[i];
      float rounded = z + ROUNDER;
      float f = z - (rounded - ROUNDER);
      powers[i] = rounded;
      x[i] =
          Math.fma(
              f,
              Math.fma(
                  f,
                  Math.fma(
                      f,
                      Math.fma(
                          f,
                          Math.fma(f, Math.fma(f, 1.533758e-4f, 0.0013399866f), 0.00961852f),
                          0.05550329f),
                      0.24022646f),
                  0.6931472f),
              1f);
    }
    scratch.raise(n);
    for (int i = 0; i < n; i++) {
      x[i] *= powers[i];
    }
  }

  /** The sum of n values, in an order that depends only on n. */
  static float sum(float[] x, int xo, int n) {
    float a = 0;
    float b = 0;
    float c = 0;
    float d = 0;
    float e = 0;
    float f = 0;
    float g = 0;
    float h = 0;
    int i = xo;
    int end = xo + n;
    for (; i + 7 < end; i += 8) {
      a += x[i];
      b += x[i + 1];
      c += x[i + 2];
      d += x[i + 3];
      e += x[i + 4];
      f += x[i + 5];
      g += x[i + 6];
      h += x[i + 7];
    }
    for (; i < end; i++) {
      a += x[i];
    }
    return ((a + b) + (c + d)) + ((e + f) + (g + h));
  }

  /** The sum of {@code x[xo + i] * y[yo + i]}, in an order that depends only on n. */
  static float dot(float[] x, int xo, float[] y, int yo, int n) {
    float a = 0;
    float b = 0;
    float c = 0;
    float d = 0;
    float e = 0;
    float f = 0;
    float g = 0;
    float h = 0;
    int i = 0;
    for (; i + 7 < n; i += 8) {
      a = Math.fma(x[xo + i], y[yo + i], a);
      b = Math.fma(x[xo + i + 1], y[yo + i + 1], b);
      c = Math.fma(x[xo + i + 2], y[yo + i + 2], c);
      d = Math.fma(x[xo + i + 3], y[yo + i + 3], d);
      e = Math.fma(x[xo + i + 4], y[yo + i + 4], e);
      f = Math.fma(x[xo + i + 5], y[yo + i + 5], f);
      g = Math.fma(x[xo + i + 6], y[yo + i + 6], g);
      h = Math.fma(x[xo + i + 7], y[yo + i + 7], h);
    }
    for (; i < n; i++) {
      a = Math.fma(x[xo + i], y[yo + i], a);
    }
    return ((a + b) + (c + d)) + ((e + f) + (g + h));
  }

  /** The sum of {@code x[xo + i]} squared, in an order that depends only on n. */
  static float sumOfSquares(float[] x, int xo, int n) {
    float a = 0;
    float b = 0;
    float c = 0;
    float d = 0;
    int i = xo;
    int end = xo + n;
    for (; i + 3 < end; i += 4) {
      a = Math.fma(x[i], x[i], a);
      b = Math.fma(x[i + 1], x[i + 1], b);
      c = Math.fma(x[i + 2], x[i + 2], c);
      d = Math.fma(x[i + 3], x[i + 3], d);
    }
    for (; i < end; i++) {
      a = Math.fma(x[i], x[i], a);
    }
    return (a + b) + (c + d);
  }
}
