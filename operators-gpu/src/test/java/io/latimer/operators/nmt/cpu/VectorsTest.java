package io.latimer.operators.nmt.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.nmt.model.Activation;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The fitted functions keep the bounds that their comments give. */
class VectorsTest {
  private static final int N = 200_001;

  private static float[] line(float from, float to) {
    float[] x = new float[N];
    for (int i = 0; i < N; i++) {
      x[i] = from + (to - from) * i / (N - 1);
    }
    return x;
  }

  @Test
  void tanhIsWithinItsBound() {
    float[] x = line(-12, 12);
    float[] y = x.clone();
    Vectors.tanh(y, N);
    for (int i = 0; i < N; i++) {
      double expected = Math.tanh(x[i]);
      assertThat(Math.abs(y[i] - expected)).isLessThanOrEqualTo(4e-7 * Math.abs(expected));
    }
  }

  @Test
  void sigmoidIsWithinItsBound() {
    float[] x = line(-30, 30);
    float[] y = x.clone();
    Vectors.sigmoid(y, N);
    for (int i = 0; i < N; i++) {
      assertThat(Math.abs(y[i] - 1 / (1 + Math.exp(-x[i])))).isLessThan(4e-7);
    }
  }

  @Test
  void erfIsWithinItsBound() {
    assertThat(Erf.of(0.5)).isCloseTo(0.5204998778130465, within(1e-14));
    assertThat(Erf.of(2)).isCloseTo(0.9953222650189527, within(1e-13));
    assertThat(Erf.of(3.5)).isCloseTo(0.9999992569016276, within(1e-14));
    float[] x = line(-6, 6);
    float[] y = x.clone();
    Vectors.erf(y, N);
    for (int i = 0; i < N; i++) {
      assertThat(Math.abs(y[i] - Erf.of(x[i]))).isLessThan(4e-7);
    }
  }

  @Test
  void geluIsWithinItsBound() {
    float[] x = line(-12, 12);
    float[] exact = x.clone();
    float[] tanh = x.clone();
    Vectors.gelu(exact, 0, N, new float[N]);
    Vectors.gelu(tanh, 0, Activation.GELU_TANH_FACTOR, Activation.GELU_TANH_CUBE, N, new float[N]);
    for (int i = 0; i < N; i++) {
      double v = x[i];
      double bound = 1e-6 * Math.max(1, Math.abs(v));
      assertThat(Math.abs(exact[i] - v / 2 * (1 + Erf.of(v / Math.sqrt(2))))).isLessThan(bound);
      double inside = Math.sqrt(2 / Math.PI) * (v + 0.044715 * v * v * v);
      assertThat(Math.abs(tanh[i] - v / 2 * (1 + Math.tanh(inside)))).isLessThan(bound);
    }
  }

  @Test
  void expIsWithinItsBound() {
    float[] x = line(-60, 3);
    float[] y = x.clone();
    Vectors.exp(y, N, 3, new PowersOfTwo());
    for (int i = 0; i < N; i++) {
      double expected = Math.exp((double) x[i] - 3);
      assertThat(Math.abs(y[i] - expected))
          .isLessThanOrEqualTo((3e-7 + 1.2e-7 * (3 - x[i])) * expected);
    }
    float[] far = {-1e30f, -200f, 0f};
    Vectors.exp(far, 3, 0, new PowersOfTwo());
    assertThat(far[0]).isLessThan(1e-37f);
    assertThat(far[1]).isLessThan(1e-37f);
    assertThat(far[2]).isEqualTo(1f);
  }

  @Test
  void anExponentialIsTheSameAloneAndAmongMany() {
    float[] x = line(-120, 0);
    float[] all = x.clone();
    PowersOfTwo powers = new PowersOfTwo();
    Vectors.exp(all, N, 0, powers);
    for (int i = 0; i < N; i++) {
      float[] one = {x[i]};
      Vectors.exp(one, 1, 0, powers);
      assertThat(one[0]).isEqualTo(all[i]);
    }
  }

  @Test
  void theLargestIsFoundWhereverItStands() {
    Random random = new Random(5);
    for (int n = 1; n < 200; n++) {
      float[] x = new float[n];
      for (int i = 0; i < n; i++) {
        x[i] = -random.nextFloat();
      }
      int place = random.nextInt(n);
      float[] largest = x.clone();
      largest[place] = 7;
      assertThat(Vectors.max(largest, n, new float[n / 2])).as(place + " of " + n).isEqualTo(7);
      x[place] = Float.NaN;
      assertThat(Vectors.max(x, n, new float[n / 2])).as(place + " of " + n).isNaN();
    }
  }

  @Test
  void valuesThatAreNoNumbersStayVisible() {
    float[] x = {Float.NaN};
    Vectors.tanh(x, 1);
    assertThat(x[0]).isNaN();
    Vectors.exp(x, 1, 0, new PowersOfTwo());
    assertThat(x[0]).isNaN();
  }

  @Test
  void sumsAndProductsAreRightForEveryLength() {
    Random random = new Random(4);
    for (int n = 0; n < 70; n++) {
      float[] x = new float[n + 3];
      float[] y = new float[n];
      double sum = 0;
      double squares = 0;
      double dot = 0;
      for (int i = 0; i < n; i++) {
        x[i + 3] = random.nextFloat() - 0.5f;
        y[i] = random.nextFloat() - 0.5f;
        sum += x[i + 3];
        squares += x[i + 3] * x[i + 3];
        dot += x[i + 3] * y[i];
      }
      assertThat(Math.abs(Vectors.sum(x, 3, n) - sum)).isLessThan(1e-5);
      assertThat(Math.abs(Vectors.sumOfSquares(x, 3, n) - squares)).isLessThan(1e-5);
      assertThat(Math.abs(Vectors.dot(x, 3, y, 0, n) - dot)).isLessThan(1e-5);
    }
  }
}
