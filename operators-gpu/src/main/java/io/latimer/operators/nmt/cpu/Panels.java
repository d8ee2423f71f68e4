package io.latimer.operators.nmt.cpu;

import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.bytedeco.javacpp.FloatPointer;

/**
 * Where in a product an output may stand so that its values do not depend on the place.
 *
 * <p>The outputs that a shortlist leaves are others for every batch, so an output has no place of
 * its own. Kernels of OpenBLAS compute them in groups, not all of which need add in the same order.
 * Products are therefore cut into panels of one width, and it is found out on the machine that it
 * runs on, for each number of inputs, which places of a panel give the same bits; only those are
 * used. With the kernels that were tried these are all.
 */
final class Panels {
  /** Outputs of a panel: a multiple of the widths that kernels work on. */
  static final int WIDTH = 192;

  private static final int ROUNDS = 4;

  private static final Map<Integer, int[]> ALIKE = new ConcurrentHashMap<>();

  private Panels() {}

  /** The places of a panel that give the same bits, rising. */
  private static int[] alike(int inputs) {
    return ALIKE.computeIfAbsent(inputs, Panels::probe);
  }

  /** Outputs of the panels that so many need. */
  static int outputs(int inputs, int needed) {
    int usable = alike(inputs).length;
    return Math.multiplyExact((needed + usable - 1) / usable, WIDTH);
  }

  /** The place of each of so many. */
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
