package io.latimer.operators.nmt.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.Result;
import io.latimer.operators.nmt.convert.RandomModels;
import io.latimer.operators.nmt.cpu.OracleDecoder;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for 16 bits of what every decoder does; skipped by name where there is no GPU. */
class DecodeGpuHalfTest {
  @RegisterExtension final GpuDecoders gpu = new GpuDecoders();

  private Decode open(Network model, NmtPrecision precision, DecodeOptions options) {
    return gpu.open(model, precision, options, DecodeTuning.DEFAULT);
  }

  /** Where no choice hangs on less than the margin, the words are those of the equations. */
  @ParameterizedTest
  @CsvSource({"FLOAT16, 0.05, 0.1, 0.001", "BFLOAT16, 0.4, 0.8, 0.008"})
  void givesNearlyWhatTheEquationsGive(
      NmtPrecision precision, double margin, double score, double digits) {
    Random random = new Random(20261121);
    int compared = 0;
    for (int i = 0; i < 60; i++) {
      NetworkSettings settings = RandomModels.settings(random);
      Network model = RandomModels.model(settings, random);
      OracleDecoder oracle = new OracleDecoder(model);
      DecodeOptions options = DecodeOptions.beam(1 + random.nextInt(3));
      List<int[]> batch = new ArrayList<>();
      for (int k = 0; k < 20; k++) {
        batch.add(RandomModels.sentence(settings, random, 9));
      }
      List<Result<Decoded>> results = open(model, precision, options).decode(batch);
      for (int k = 0; k < batch.size(); k++) {
        if (batch.get(k).length == 1) {
          continue;
        }
        OracleDecoder.Entry expected = oracle.search(DecodeInput.of(batch.get(k)), options).get(0);
        if (oracle.margin < margin) {
          continue;
        }
        Hypothesis found = results.get(k).orElseThrow().best();
        String what = settings + " " + Arrays.toString(batch.get(k));
        assertThat(Arrays.stream(found.ids()).boxed().toList()).as(what).isEqualTo(expected.ids());
        // each word may be off: a tenth of the bound for each beyond ten
        // a network without scales may give scores of hundreds: these have as few digits as others
        double bound =
            score * Math.max(1, expected.ids().size() / 10.0) + digits * Math.abs(expected.score());
        assertThat(found.score()).as(what).isCloseTo(expected.score(), within(bound));
        compared++;
      }
    }
    assertThat(compared).as("sentences that no margin excused").isGreaterThan(40);
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT16", "BFLOAT16"})
  void badRecordsAndEmptySentencesAreAsInAnyPrecision(NmtPrecision precision) {
    Random random = new Random(1);
    Network model = RandomModels.model(RandomModels.settings(random), random);
    Decode decode = open(model, precision, DecodeOptions.beam(2).withAlignment(true));
    assertThat(decode.decode(List.of())).isEmpty();
    List<Result<Decoded>> results =
        decode.decode(List.of(new int[] {2, -1}, new int[] {0}, new int[] {2, 3, 0}));
    assertThat(results.get(0)).isInstanceOf(Result.Failure.class);
    assertThat(results.get(1).orElseThrow().best().ids()).containsExactly(Decode.END);
    assertThat(results.get(2).orElseThrow().best().attention()[0]).hasSize(3);
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT16", "BFLOAT16"})
  void scoresThatAreNoNumbersFailTheRecord(NmtPrecision precision) {
    CellKind gru = CellKind.GRU;
    LayerNormalization none = LayerNormalization.NONE;
    Network sound =
        RandomModels.model(RnnSettings.plain(20, 24, 6, 8, 10, gru, none), new Random(2));
    Network model = RandomModels.withInfiniteScores(sound);
    Decode decode = open(model, precision, DecodeOptions.beam(2));
    assertThat(decode.decode(List.of(new int[] {2, 3, 0})).get(0))
        .isInstanceOf(Result.Failure.class);
  }

  @ParameterizedTest
  @MethodSource("io.latimer.operators.nmt.decode.DecodeContractTest#eachMemory")
  void resultsComeInTheOrderOfTheBatchAndAgain(NetworkSettings settings) {
    Random random = new Random(3);
    Network model = RandomModels.model(settings, random);
    List<int[]> batch = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      batch.add(RandomModels.sentence(settings, random, 20));
    }
    for (NmtPrecision precision : List.of(NmtPrecision.FLOAT16, NmtPrecision.BFLOAT16)) {
      Decode decode = open(model, precision, DecodeOptions.beam(3).withAlignment(true));
      List<Hypothesis> first = GpuDecoders.best(decode.decode(batch));
      List<Hypothesis> second = GpuDecoders.best(decode.decode(batch));
      int same = 0;
      for (int i = 0; i < batch.size(); i++) {
        assertThat(first.get(i).attention()[0]).hasSize(batch.get(i).length);
        assertThat(second.get(i).attention()[0]).hasSize(batch.get(i).length);
        same += Arrays.equals(second.get(i).ids(), first.get(i).ids()) ? 1 : 0;
      }
      // how many rows share a step hangs on time, and in 16 bits a near tie on how many those are
      assertThat(same).as(precision + ", sentences with the same words").isGreaterThan(95);
    }
  }
}
