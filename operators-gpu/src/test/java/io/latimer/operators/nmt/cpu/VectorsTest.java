package io.latimer.operators.nmt.cpu;

import static org.assertj.core.api.Assertions.assertThat;

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
  void expIsWithinItsBound() {
    float[] x = line(-60, 3);
    float[] y = x.clone();
    Vectors.exp(y, N, 3, new float[N]);
    for (int i = 0; i < N; i++) {
      double expected = Math.exp((double) x[i] - 3);
      assertThat(Math.abs(y[i] - expected))
          .isLessThanOrEqualTo((3e-7 + 1.2e-7 * (3 - x[i])) * expected);
    }
    float[] far = {-1e30f, -200f, 0f};
    Vectors.exp(far, 3, 0, new float[3]);
    assertThat(far[0]).isLessThan(1e-37f);
    assertThat(far[1]).isLessThan(1e-37f);
    assertThat(far[2]).isEqualTo(1f);
  }

  @Test
  void valuesThatAreNoNumbersStayVisible() {
    float[] x = {Float.NaN};
    Vectors.tanh(x, 1);
    assertThat(x[0]).isNaN();
    assertThat(Vectors.max(new float[] {1, Float.NaN, 2}, 3)).isNaN();
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
