package io.latimer.operators.nmt.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.testing.OnEachOpenBlasCore;
import io.latimer.operators.util.Team;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Matrix products are right, and those of a row are the same whatever stands beside it. */
@OnEachOpenBlasCore
class ProductTest {
  private static final int ROWS = 300;

  @ParameterizedTest
  @CsvSource({"1, 1", "7, 5", "33, 47", "48, 468", "96, 96", "256, 1792", "512, 1536", "1024, 800"})
  void aRowsProductDependsOnThatRowAlone(int inputs, int outputs) {
    assumeTrue(
        System.getProperty("os.arch").equals("amd64"),
        "which kernels treat the rows of a tile alike was tried on x86-64 only");
    Random random = new Random(inputs);
    float[] x = numbers(random, ROWS * inputs);
    Tensor weights = Tensor.of("w", inputs, outputs, numbers(random, inputs * outputs));
    float[] all = new float[ROWS * outputs];
    Team team = new Team(3);
    try (NativeMatrix w = NativeMatrix.join(weights);
        Product product = new Product(Math.max(inputs, outputs))) {
      product.multiply(x, ROWS, w, all);
      product.shareWith(team);
      assertRowsStandAlone(product, random, x, w, all);
    }
    for (int i = 0; i < 200; i++) {
      int row = random.nextInt(ROWS);
      int output = random.nextInt(outputs);
      double expected = 0;
      for (int k = 0; k < inputs; k++) {
        expected += (double) x[row * inputs + k] * weights.get(k, output);
      }
      assertThat((double) all[row * outputs + output]).isCloseTo(expected, within(1e-4));
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "7, 5", "33, 300", "256, 700", "512, 400"})
  void aGatheredOutputIsTheSameWhereverItStands(int inputs, int outputs) {
    Random random = new Random(outputs);
    float[] x = numbers(random, 40 * inputs);
    Tensor weights = Tensor.of("w", inputs, outputs, numbers(random, inputs * outputs));
    Map<Integer, Float> first = new HashMap<>();
    try (NativeMatrix w = NativeMatrix.join(weights);
        Product product = new Product(Math.max(inputs, Panels.outputs(inputs, outputs)))) {
      for (int round = 0; round < 5; round++) {
        int[] ids = random.ints(0, outputs).distinct().limit((outputs + 1) / 2).toArray();
        int[] places = Panels.places(inputs, ids.length);
        int[] chosen = new int[Panels.outputs(inputs, ids.length)];
        Arrays.fill(chosen, NativeMatrix.NOTHING);
        for (int i = 0; i < ids.length; i++) {
          chosen[places[i]] = ids[i];
        }
        int rows = 1 + random.nextInt(40);
        float[] y = new float[rows * chosen.length];
        try (NativeMatrix gathered = w.gather(chosen, Panels.WIDTH)) {
          product.multiply(x, rows, gathered, y);
        }
        for (int row = 0; row < rows; row++) {
          for (int i = 0; i < ids.length; i++) {
            float value = y[row * chosen.length + places[i]];
            assertThat(first.getOrDefault(row * outputs + ids[i], value)).isEqualTo(value);
            first.put(row * outputs + ids[i], value);
          }
        }
      }
    }
    for (int i = 0; i < outputs; i++) {
      double expected = 0;
      for (int k = 0; k < inputs; k++) {
        expected += (double) x[k] * weights.get(k, i);
      }
      if (first.containsKey(i)) {
        assertThat((double) first.get(i)).isCloseTo(expected, within(1e-4));
      }
    }
  }

  private static float[] numbers(Random random, int n) {
    float[] values = new float[n];
    for (int i = 0; i < n; i++) {
      values[i] = (float) random.nextGaussian();
    }
    return values;
  }

  /**
   * Multiplies some rows at a time.
   *
   * @param all the products of all rows at once
   */
  static void assertRowsStandAlone(
      Product product, Random random, float[] x, NativeMatrix w, float[] all) {
    float[] some = new float[all.length];
    int outputs = w.outputs;
    for (int round = 0; round < 25; round++) {
      int rows = 1 + random.nextInt(round < 15 ? 20 : 200);
      int from = random.nextInt(all.length / outputs - rows);
      product.multiply(x, from, rows, w, some, 0);
      assertThat(Arrays.copyOf(some, rows * outputs))
          .as(rows + " rows from " + from)
          .isEqualTo(Arrays.copyOfRange(all, from * outputs, (from + rows) * outputs));
    }
  }
}
