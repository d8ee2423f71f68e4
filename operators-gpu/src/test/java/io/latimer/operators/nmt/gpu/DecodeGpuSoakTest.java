package io.latimer.operators.nmt.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.Result;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.nmt.convert.RandomModels;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeContractTest;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.NetworkSettings;
import io.latimer.operators.testing.TestDevices;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Random lengths, beams and batches from several threads, again and again, of each kind of network
 * in turn, with a shortlist or without: nothing is left behind. Skipped by name where there is no
 * GPU.
 */
class DecodeGpuSoakTest {
  /** System property: how often a decoder is made, used and closed. */
  private static final String ROUNDS = "latimer.soak.rounds";

  /** What the driver may keep for itself: code, pools of streams and graphs. */
  private static final long SLACK = 128L << 20;

  @RegisterExtension final GpuDecoders gpu = new GpuDecoders();

  /** A kind of network, on the device in every precision. */
  private record Kind(NetworkSettings settings, List<GpuWeights> residents) {}

  @Test
  void whatIsTakenOfTheDeviceIsGivenBack() {
    int rounds = Integer.getInteger(ROUNDS, 12);
    Gpu device = TestDevices.openGpu();
    Random random = new Random(77);
    List<Kind> kinds =
        DecodeContractTest.eachMemory().map(settings -> bring(settings, random)).toList();
    kinds.forEach(kind -> round(kind, random));
    Map<String, Integer> open = device.openResources();
    long before = device.freeMemory();
    for (int i = 0; i < rounds; i++) {
      round(kinds.get(i % kinds.size()), random);
    }
    System.out.printf(
        "%d rounds: %d bytes free before, %d after%n", rounds, before, device.freeMemory());
    assertThat(device.freeMemory()).isGreaterThan(before - SLACK);
    assertThat(device.openResources()).as("page-locked buffers and all else").isEqualTo(open);
  }

  private Kind bring(NetworkSettings settings, Random random) {
    Network model =
        RandomModels.model(settings, random)
            .withShortlist(RandomModels.shortlist(settings, random));
    return new Kind(
        settings,
        Arrays.stream(NmtPrecision.values())
            .filter(NmtPrecision::onGpu)
            .map(precision -> gpu.bring(model, precision))
            .toList());
  }

  private static void round(Kind kind, Random random) {
    int beam = 1 + random.nextInt(random.nextInt(4) == 0 ? 64 : 8);
    DecodeOptions options =
        DecodeOptions.beam(beam)
            .withNBest(1 + random.nextInt(beam))
            .withLengthNormalization(random.nextInt(3) * 0.5f)
            .withMaxLengthFactor(random.nextInt(3) + 0.5f)
            .withAllowUnknown(random.nextBoolean())
            .withScores(random.nextInt(4) > 0)
            .withAlignment(random.nextBoolean())
            .withShortlist(random.nextBoolean())
            .with(DecodeOptions.Switch.END_LOOPS, random.nextBoolean());
    long seed = random.nextLong();
    try (DecodeGpu decode = new DecodeGpu(kind.residents.get(random.nextInt(3)), options)) {
      IntStream.range(0, 4)
          .parallel()
          .forEach(i -> batches(decode, kind.settings, new Random(seed + i)));
    }
  }

  private static void batches(Decode decode, NetworkSettings settings, Random random) {
    for (int i = 0; i < 6; i++) {
      int n = 1 + random.nextInt(1 << random.nextInt(11));
      int longest = 2 << random.nextInt(random.nextInt(10) == 0 ? 9 : 6);
      List<int[]> batch = new ArrayList<>();
      for (int k = 0; k < n; k++) {
        batch.add(RandomModels.sentence(settings, random, longest));
      }
      List<Result<Decoded>> results = decode.decode(batch);
      assertThat(results).hasSize(n);
      results.forEach(result -> assertThat(result.orElseThrow().nBest()).isNotEmpty());
    }
  }
}
