package io.latimer.operators.nmt.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.testing.ChildJvm;
import io.latimer.operators.testing.Int8Cpu;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Products of 8-bit integers are within what rounding allows, and exact beyond that. */
class Int8ProductTest {
  private static final int ROWS = 300;

  @BeforeEach
  void onlyWhereTheProcessorCan() throws IOException {
    Int8Cpu.require();
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "7, 5", "33, 47", "48, 468", "96, 96", "384, 1536", "1536, 384"})
  void aProductIsThatOfTheRoundedNumbers(int inputs, int outputs) {
    Random random = new Random(inputs);
    float[] x = numbers(random, ROWS * inputs);
    float[] weights = numbers(random, inputs * outputs);
    float[] all = new float[ROWS * outputs];
    try (NativeMatrix w = rounded(inputs, outputs, weights);
        Product product = new Product(Math.max(inputs, outputs))) {
      product.multiply(x, ROWS, w, all);
    }
    for (int i = 0; i < 300; i++) {
      int row = random.nextInt(ROWS);
      int output = random.nextInt(outputs);
      double rowStep = largest(x, row * inputs, 1, inputs) / 127;
      double outputStep = largest(weights, output, outputs, inputs) / 127;
      double expected = 0;
      for (int k = 0; k < inputs; k++) {
        expected +=
            Math.rint(x[row * inputs + k] / rowStep)
                * Math.rint(weights[k * outputs + output] / outputStep);
      }
      expected *= rowStep * outputStep;
      // A value halfway between two integers may go to either
      double ties = 2 * 127 * rowStep * outputStep;
      assertThat((double) all[row * outputs + output]).isCloseTo(expected, within(ties));
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "33, 47", "384, 1536"})
  void aRowsProductDependsOnThatRowAlone(int inputs, int outputs) {
    Random random = new Random(outputs);
    float[] x = numbers(random, ROWS * inputs);
    float[] all = new float[ROWS * outputs];
    try (NativeMatrix w = rounded(inputs, outputs, numbers(random, inputs * outputs));
        Product product = new Product(Math.max(inputs, outputs))) {
      product.multiply(x, ROWS, w, all);
      ProductTest.assertRowsStandAlone(product, random, x, w, all);
    }
  }

  @Test
  void rowsOfZerosAndOfWhatIsNoNumberStayThat() {
    float[] x = {0, 0, 0, 1, Float.NaN, 2, 1, Float.POSITIVE_INFINITY, 2, 1, 2, 3};
    float[] y = new float[4];
    try (NativeMatrix w = rounded(3, 1, new float[] {1, 1, 1});
        Product product = new Product(3)) {
      product.multiply(x, 4, w, y);
    }
    assertThat(y[0]).isZero();
    assertThat(y[1]).isNaN();
    assertThat(Float.isFinite(y[2])).isFalse();
    assertThat(y[3]).isCloseTo(6f, within(0.03f));
  }

  /** Where JavaCPP would unpack by itself, others may write. */
  @Test
  void nativesAreUnpackedIntoThePrivateFolder(@TempDir Path home) throws Exception {
    ChildJvm.run(List.of("-Duser.home=" + home), Checks.class);
    assertThat(home.resolve(".javacpp")).doesNotExist();
  }

  /** Loads oneDNN before anything else. */
  static final class Checks {
    public static void main(String[] arguments) {
      OneDnn.check();
    }
  }

  private static NativeMatrix rounded(int inputs, int outputs, float[] weights) {
    NativeMatrix matrix = NativeMatrix.join(Tensor.of("w", inputs, outputs, weights));
    matrix.round(true);
    return matrix;
  }

  private static double largest(float[] x, int from, int stride, int n) {
    double largest = 0;
    for (int i = 0; i < n; i++) {
      largest = Math.max(largest, Math.abs(x[from + i * stride]));
    }
    return largest;
  }

  private static float[] numbers(Random random, int n) {
    float[] values = new float[n];
    for (int i = 0; i < n; i++) {
      values[i] = (float) random.nextGaussian();
    }
    return values;
  }
}
