package io.latimer.operators.nmt;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/** Small models of random weights, of every kind there is. */
final class RandomModels {
  private RandomModels() {}

  /** One setting of each thing in which models differ. */
  static RnnSettings settings(Random random) {
    CellKind[] kinds = CellKind.values();
    LayerNormalization[] norms = LayerNormalization.values();
    LayerNormalization norm = norms[random.nextInt(norms.length)];
    boolean gru = norm == LayerNormalization.SEPARATE || random.nextInt(3) == 0;
    CellKind encoder = gru ? CellKind.GRU : kinds[random.nextInt(kinds.length)];
    CellKind first = gru ? CellKind.GRU : kinds[random.nextInt(kinds.length)];
    CellKind second = gru ? CellKind.GRU : kinds[random.nextInt(kinds.length)];
    boolean shared = random.nextBoolean();
    int target = 5 + random.nextInt(30);
    return new RnnSettings(
        shared ? target : 5 + random.nextInt(30),
        target,
        1 + random.nextInt(9),
        1 + random.nextInt(11),
        1 + random.nextInt(13),
        encoder,
        random.nextBoolean() ? encoder : gru ? CellKind.GRU : kinds[random.nextInt(kinds.length)],
        gru ? random.nextInt(3) : 0,
        first,
        second,
        gru ? random.nextInt(3) : 0,
        norm,
        random.nextBoolean(),
        shared,
        random.nextBoolean());
  }

  /** A model of those settings whose hypotheses differ in score and end now and then. */
  static RnnModel model(RnnSettings settings, Random random) {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    settings
        .shapes()
        .forEach(
            (name, shape) -> {
              float[] values = new float[shape.rows() * shape.cols()];
              double scale =
                  name.endsWith("embedding") || name.equals("output.Wt")
                      ? 1.5
                      : shape.rows() == 1 ? 0.5 : 1.2 / Math.sqrt(shape.rows());
              for (int i = 0; i < values.length; i++) {
                values[i] = (float) (scale * random.nextGaussian());
              }
              if (name.equals("output.bias")) {
                values[Decode.END] += 1.5f;
              }
              tensors.put(name, Tensor.of(name, shape.rows(), shape.cols(), values));
            });
    return RnnModel.of(settings, tensors);
  }

  /** A source sentence of the model's words, some of them unknown. */
  static int[] sentence(RnnSettings settings, Random random, int longest) {
    int[] ids = new int[1 + random.nextInt(longest)];
    for (int i = 0; i < ids.length - 1; i++) {
      ids[i] = 1 + random.nextInt(settings.sourceVocabulary() - 1);
    }
    return ids;
  }
}
