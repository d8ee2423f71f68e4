package io.latimer.operators.nmt.gpu;

import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.convert.RandomModels;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.model.Activation;
import io.latimer.operators.nmt.model.Autoregression;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import io.latimer.operators.testing.ResidentMemoryContract;
import java.util.Random;

/** A translation model's device memory, by its tensors and the tables of its shortlist. */
class GpuWeightsMemoryTest extends ResidentMemoryContract {
  private static final int WORDS = 16_000;

  private Network model;

  @Override
  protected AutoCloseable bring(Device device) {
    if (model == null) {
      TransformerSettings settings =
          new TransformerSettings(
              WORDS,
              WORDS,
              256,
              4,
              2,
              2,
              1024,
              1024,
              Activation.RELU,
              Autoregression.SELF_ATTENTION,
              0,
              Activation.RELU,
              NormPlacement.POST,
              false,
              1,
              false,
              false,
              TransformerVariant.MARIAN);
      model = RandomModels.model(settings, new Random(1));
    }
    return new GpuWeights(model, device, NmtPrecision.FLOAT32);
  }

  @Override
  protected long bytes(AutoCloseable resident) {
    return ((GpuWeights) resident).bytes();
  }

  @Override
  protected long expected(AutoCloseable resident) {
    return model.tensors().values().stream()
        .mapToLong(tensor -> (long) Float.BYTES * tensor.count())
        .sum();
  }

  /** Factors are padded to whole tiles. */
  @Override
  protected double padding() {
    return 0.05;
  }
}
