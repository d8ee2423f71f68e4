package io.latimer.operators.nmt;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.Result;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.testing.TestDevices;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Random lengths, beams and batches from several threads, again and again: nothing is left behind.
 * Skipped by name where there is no GPU.
 */
class DecodeGpuSoakTest {
  /** System property: how often a decoder is made, used and closed. */
  private static final String ROUNDS = "latimer.soak.rounds";

  /** What the driver may keep for itself: code, pools of streams and graphs. */
  private static final long SLACK = 128L << 20;

  @RegisterExtension final GpuDecoders gpu = new GpuDecoders();

  @Test
  void deviceMemoryStaysAsItIs() {
    int rounds = Integer.getInteger(ROUNDS, 12);
    Gpu device = TestDevices.openGpu();
    Random random = new Random(77);
    Network model = RandomModels.model(RandomModels.settings(random), random);
    List<NmtOnGpu> residents = new ArrayList<>();
    for (NmtPrecision precision : NmtPrecision.values()) {
      residents.add(gpu.bring(model, precision));
    }
    round(model, residents, random);
    long before = device.freeMemory();
    for (int i = 0; i < rounds; i++) {
      round(model, residents, random);
    }
    System.out.printf(
        "%d rounds: %d bytes free before, %d after%n", rounds, before, device.freeMemory());
    assertThat(device.freeMemory()).isGreaterThan(before - SLACK);
  }

  private static void round(Network model, List<NmtOnGpu> residents, Random random) {
    int beam = 1 + random.nextInt(random.nextInt(4) == 0 ? 64 : 8);
    DecodeOptions options =
        new DecodeOptions(
            beam,
            1 + random.nextInt(beam),
            random.nextInt(3) * 0.5f,
            random.nextInt(3) + 0.5f,
            random.nextBoolean(),
            random.nextInt(4) > 0,
            random.nextBoolean(),
            true);
    long seed = random.nextLong();
    try (DecodeGpu decode = new DecodeGpu(residents.get(random.nextInt(3)), options)) {
      IntStream.range(0, 4).parallel().forEach(i -> batches(decode, model, new Random(seed + i)));
    }
  }

  private static void batches(Decode decode, Network model, Random random) {
    for (int i = 0; i < 6; i++) {
      int n = 1 + random.nextInt(1 << random.nextInt(11));
      int longest = 2 << random.nextInt(random.nextInt(10) == 0 ? 9 : 6);
      List<int[]> batch = new ArrayList<>();
      for (int k = 0; k < n; k++) {
        batch.add(RandomModels.sentence(model.settings(), random, longest));
      }
      List<Result<Decoded>> results = decode.apply(batch);
      assertThat(results).hasSize(n);
      results.forEach(result -> assertThat(result.orElseThrow().nBest()).isNotEmpty());
    }
  }
}
