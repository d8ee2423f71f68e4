package io.latimer.operators.nmt.cpu;

import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.bytedeco.javacpp.FloatPointer;

/**
 * The positions of a product at which an output's value does not depend on the position.
 *
 * <p>A shortlist leaves different outputs in every batch, so an output has no fixed position.
 * OpenBLAS' kernels compute outputs in groups, which may not all add in the same order. Products
 * are therefore split into panels of one width, and for each number of inputs a test on the actual
 * machine finds the positions of a panel that give the same bits; only those are used. With all
 * kernels tried so far, these are all positions.
 */
final class Panels {
  /** Outputs per panel: a multiple of the kernels' widths. */
  static final int WIDTH = 192;

  private static final int ROUNDS = 4;

  private static final Map<Integer, int[]> ALIKE = new ConcurrentHashMap<>();

  private Panels() {}

  /** The positions of a panel that give the same bits, ascending. */
  private static int[] alike(int inputs) {
    return ALIKE.computeIfAbsent(inputs, Panels::probe);
  }

  /** The number of outputs, with padding, for a number of used ones. */
  static int outputs(int inputs, int needed) {
    int usable = alike(inputs).length;
    return Math.multiplyExact((needed + usable - 1) / usable, WIDTH);
  }

  /** The position of each used output. */
  static int[] places(int inputs, int needed) {
    int[] alike = alike(inputs);
    int[] places = new int[needed];
    Arrays.setAll(places, i -> i / alike.length * WIDTH + alike[i % alike.length]);
    return places;
  }

  private static int[] probe(int inputs) {
    OpenBlas.load();
    Random random = new Random(192);
    boolean[] differs = new boolean[WIDTH];
    float[] rows = new float[Rows.TILE * inputs];
    float[] weights = new float[WIDTH * inputs];
    float[] found = new float[WIDTH * Rows.TILE];
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < rows.length; i++) {
        rows[i] = random.nextFloat() - 0.5f;
      }
      for (int i = 0; i < weights.length; i++) {
        weights[i] = i < inputs ? random.nextFloat() - 0.5f : weights[i - inputs];
      }
      try (FloatPointer a = new FloatPointer(rows);
          FloatPointer w = new FloatPointer(weights);
          FloatPointer c = new FloatPointer((long) found.length)) {
        OpenBlas.multiply(Rows.TILE, WIDTH, inputs, a, w, c);
        c.get(found);
      }
      for (int i = Rows.TILE; i < found.length; i++) {
        differs[i / Rows.TILE] |= found[i] != found[i % Rows.TILE];
      }
    }
    return IntStream.range(0, WIDTH).filter(place -> !differs[place]).toArray();
  }
}
