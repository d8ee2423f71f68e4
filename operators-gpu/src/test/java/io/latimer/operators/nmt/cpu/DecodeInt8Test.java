package io.latimer.operators.nmt.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.Result;
import io.latimer.operators.nmt.convert.RandomModels;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeInput;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.model.CellKind;
import io.latimer.operators.nmt.model.LayerNormalization;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.NetworkSettings;
import io.latimer.operators.nmt.model.RnnSettings;
import io.latimer.operators.testing.Int8Cpu;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What holds for 8 bits of what every decoder does. */
class DecodeInt8Test {
  private static final long BUDGET = 1L << 28;
  private static final int NETWORKS = 60;

  @BeforeEach
  void onlyWhereTheProcessorCan() throws IOException {
    Int8Cpu.require();
  }

  /**
   * The translations of 32 bits get nearly the same scores in 8: in nine of ten networks, half of
   * the scores are off by less than 0.03 per word and 3 %. Rounding weighs more in these networks
   * of a few values per row than in trained ones, and some choose by much larger numbers.
   */
  @Test
  void scoresTranslationsNearlyAsIn32Bits() {
    Random random = new Random(20261129);
    int close = 0;
    for (int i = 0; i < NETWORKS; i++) {
      List<Double> errors = new ArrayList<>();
      NetworkSettings settings = RandomModels.settings(random);
      Network model = RandomModels.model(settings, random);
      List<int[]> batch = new ArrayList<>();
      for (int k = 0; k < 20; k++) {
        batch.add(RandomModels.sentence(settings, random, 9));
      }
      List<Hypothesis> expected =
          best(
              NmtPrecision.FLOAT32,
              model,
              DecodeOptions.greedy(),
              batch.stream().map(DecodeInput::of).toList());
      List<DecodeInput> given = new ArrayList<>();
      for (int k = 0; k < batch.size(); k++) {
        given.add(new DecodeInput(batch.get(k), expected.get(k).ids()));
      }
      List<Hypothesis> found = best(NmtPrecision.INT8, model, DecodeOptions.given(), given);
      for (int k = 0; k < batch.size(); k++) {
        double score = expected.get(k).score();
        double words = expected.get(k).ids().length;
        assertThat(found.get(k).ids()).isEqualTo(expected.get(k).ids());
        errors.add(Math.abs(found.get(k).score() - score) / (words + Math.abs(score)));
      }
      errors.sort(null);
      close += errors.get(errors.size() / 2) < 0.03 ? 1 : 0;
    }
    assertThat(close).as("networks, of " + NETWORKS).isGreaterThanOrEqualTo(NETWORKS * 9 / 10);
  }

  /** Sums of integers are exact, so not a bit depends on the batch or the threads. */
  @Test
  void aSentencesResultIsTheSameInEveryBatch() {
    Random random = new Random(3);
    for (int i = 0; i < 10; i++) {
      NetworkSettings settings = RandomModels.settings(random);
      Network model = RandomModels.model(settings, random);
      DecodeOptions options = DecodeOptions.beam(3);
      List<int[]> batch = new ArrayList<>();
      for (int k = 0; k < 40; k++) {
        batch.add(RandomModels.sentence(settings, random, 12));
      }
      List<Result<Decoded>> together = decode(model, options, 3, batch);
      for (int k = 0; k < 5; k++) {
        Hypothesis alone =
            decode(model, options, 2, batch.subList(k, k + 1)).get(0).orElseThrow().best();
        Hypothesis among = together.get(k).orElseThrow().best();
        assertThat(among.ids()).as(settings.toString()).isEqualTo(alone.ids());
        assertThat(among.score()).as(settings.toString()).isEqualTo(alone.score());
      }
    }
  }

  @Test
  void scoresThatAreNoNumbersFailTheRecord() {
    Network sound =
        RandomModels.model(
            RnnSettings.plain(20, 24, 6, 8, 10, CellKind.GRU, LayerNormalization.NONE),
            new Random(2));
    List<Result<Decoded>> results =
        decode(
            RandomModels.withInfiniteScores(sound),
            DecodeOptions.beam(2),
            2,
            List.of(new int[] {2, 3, 0}));
    assertThat(results.get(0)).isInstanceOf(Result.Failure.class);
  }

  private static List<Hypothesis> best(
      NmtPrecision precision, Network network, DecodeOptions options, List<DecodeInput> batch) {
    try (CpuWeights model = CpuWeights.of(network, precision);
        DecodeCpu decoder = new DecodeCpu(model, options, 2, BUDGET)) {
      return decoder.apply(batch).stream().map(result -> result.orElseThrow().best()).toList();
    }
  }

  private static List<Result<Decoded>> decode(
      Network network, DecodeOptions options, int threads, List<int[]> batch) {
    try (CpuWeights model = CpuWeights.of(network, NmtPrecision.INT8);
        Decode decoder = new DecodeCpu(model, options, threads, BUDGET)) {
      return decoder.decode(batch);
    }
  }
}
