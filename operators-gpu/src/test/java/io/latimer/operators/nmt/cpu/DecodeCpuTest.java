package io.latimer.operators.nmt.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.convert.RandomModels;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeContractTest;
import io.latimer.operators.nmt.decode.DecodeInput;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.DecodeStatistics;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.model.CellKind;
import io.latimer.operators.nmt.model.LayerNormalization;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.NetworkSettings;
import io.latimer.operators.nmt.model.RnnSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The decoder on the CPU keeps the contract on one thread and on several. */
class DecodeCpuTest {

  @Nested
  class OnOneThread extends DecodeContractTest {
    @Override
    protected Decode open(Network model, DecodeOptions options) {
      return new Owned(model, options, 1, 1L << 30);
    }

    @Override
    protected Decode openWithLittleMemory(Network model, DecodeOptions options) {
      return new Owned(model, options, 1, 1);
    }
  }

  @Nested
  class OnThreeThreads extends DecodeContractTest {
    @Override
    protected Decode open(Network model, DecodeOptions options) {
      return new Owned(model, options, 3, 1L << 30);
    }

    @Override
    protected Decode openWithLittleMemory(Network model, DecodeOptions options) {
      return new Owned(model, options, 3, 1);
    }
  }

  /** A decoder that closes its model after itself. */
  private static final class Owned implements Decode {
    private final CpuWeights model;
    private final DecodeCpu decoder;

    Owned(Network network, DecodeOptions options, int threads, long budget) {
      model = CpuWeights.of(network);
      decoder = new DecodeCpu(model, options, threads, budget);
    }

    @Override
    public List<Result<Decoded>> apply(List<DecodeInput> batch) {
      return decoder.apply(batch);
    }

    @Override
    public void close() {
      decoder.close();
      model.close();
    }
  }

  @Test
  void aSecondCallWhileOneIsUnderWayIsRefusedAndTheFirstGoesOn() {
    Random random = new Random(1);
    CpuWeights model = CpuWeights.of(RandomModels.model(RandomModels.settings(random), random));
    int[] source = {2, 3, 0};
    try (DecodeCpu decoder = new DecodeCpu(model, DecodeOptions.beam(2))) {
      int[] ids = decoder.decode(List.of(source)).get(0).orElseThrow().best().ids();
      List<DecodeInput> callsAgain =
          new AbstractList<>() {
            @Override
            public DecodeInput get(int index) {
              assertThatThrownBy(() -> decoder.decode(List.of(source)))
                  .isInstanceOf(OperatorException.class)
                  .hasMessageContaining("another thread is using this decoder");
              return DecodeInput.of(source);
            }

            @Override
            public int size() {
              return 1;
            }
          };
      assertThat(decoder.apply(callsAgain).get(0).orElseThrow().best().ids()).isEqualTo(ids);
    }
    model.close();
  }

  @Test
  void closingWaitsForTheCallThatIsUnderWay() throws InterruptedException {
    Random random = new Random(1);
    CpuWeights model = CpuWeights.of(RandomModels.model(RandomModels.settings(random), random));
    int[] source = {2, 3, 0};
    DecodeCpu decoder = new DecodeCpu(model, DecodeOptions.beam(2));
    int[] ids = decoder.decode(List.of(source)).get(0).orElseThrow().best().ids();
    Thread closer = new Thread(decoder::close);
    List<DecodeInput> closes =
        new AbstractList<>() {
          @Override
          public DecodeInput get(int index) {
            if (closer.getState() == Thread.State.NEW) {
              closer.start();
              while (closer.getState() != Thread.State.WAITING) {
                assertThat(closer.getState()).isNotEqualTo(Thread.State.TERMINATED);
                Thread.onSpinWait();
              }
            }
            return DecodeInput.of(source);
          }

          @Override
          public int size() {
            return 1;
          }
        };
    assertThat(decoder.apply(closes).get(0).orElseThrow().best().ids()).isEqualTo(ids);
    closer.join();
    assertThatThrownBy(() -> decoder.decode(List.of(source)))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("closed");
    model.close();
  }

  @Test
  void aSharedModelServesSeveralDecodersAndIsClosedOnce() {
    Random random = new Random(1);
    NetworkSettings settings = RandomModels.settings(random);
    CpuWeights model = CpuWeights.of(RandomModels.model(settings, random));
    int[] source = {2, 3, 0};
    DecodeCpu first = new DecodeCpu(model, DecodeOptions.beam(2));
    DecodeCpu second = new DecodeCpu(model, DecodeOptions.beam(2));
    int[] ids = first.decode(List.of(source)).get(0).orElseThrow().best().ids();
    first.close();
    assertThat(second.decode(List.of(source)).get(0).orElseThrow().best().ids()).isEqualTo(ids);
    model.close();
    model.close();
    assertThatThrownBy(() -> second.decode(List.of(source))).isInstanceOf(OperatorException.class);
    second.close();
  }

  @Test
  void aShortlistsBitsHangOnTheSentenceAlone() {
    Random random = new Random(7);
    // more words than are computed for all sentences together
    RnnSettings settings =
        RnnSettings.plain(60, 6000, 16, 12, 10, CellKind.GRU, LayerNormalization.NONE);
    Network model = RandomModels.model(settings, random);
    model = model.withShortlist(RandomModels.shortlist(settings, random));
    OracleDecoder oracle = new OracleDecoder(model);
    List<int[]> batch = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      batch.add(new int[] {1 + random.nextInt(59), 1 + random.nextInt(59), 0});
    }
    DecodeOptions options = DecodeOptions.beam(3);
    int rare = 0;
    try (CpuWeights weights = CpuWeights.of(model);
        DecodeCpu decode = new DecodeCpu(weights, options, 1, 1 << 30)) {
      List<Result<Decoded>> together = decode.decode(batch);
      for (int i = 0; i < batch.size(); i++) {
        Hypothesis alone = decode.decode(List.of(batch.get(i))).get(0).orElseThrow().best();
        Hypothesis among = together.get(i).orElseThrow().best();
        assertThat(among.ids()).isEqualTo(alone.ids());
        assertThat(among.wordScores()).isEqualTo(alone.wordScores());
        rare += Arrays.stream(among.ids()).anyMatch(id -> id > 4096) ? 1 : 0;
        if (i < 5) {
          List<OracleDecoder.Entry> expected = oracle.search(DecodeInput.of(batch.get(i)), options);
          if (oracle.margin > 1e-4) {
            assertThat(among.ids())
                .isEqualTo(expected.get(0).ids().stream().mapToInt(Integer::intValue).toArray());
            assertThat(among.score()).isCloseTo(expected.get(0).score(), within(1e-3));
          }
        }
      }
    }
    assertThat(rare).isPositive();
  }

  @Test
  void countsWhatItDid() {
    Random random = new Random(2);
    Network model = RandomModels.model(RandomModels.settings(random), random);
    try (DecodeCpu decoder = new DecodeCpu(model, DecodeOptions.beam(3))) {
      List<int[]> batch = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        batch.add(new int[] {2, 3, 4, 0});
      }
      batch.add(new int[] {0});
      batch.add(new int[] {99, 0});
      decoder.decode(batch);
      DecodeStatistics statistics = decoder.statistics();
      assertThat(statistics.sentences()).isEqualTo(10);
      assertThat(statistics.sourceTokens()).isEqualTo(40);
      assertThat(statistics.targetTokens()).isBetween(10L, 120L);
      assertThat(statistics.steps()).isGreaterThanOrEqualTo(statistics.targetTokens());
      assertThat(statistics.matrixShare()).isBetween(0.0, 1.0);
    }
  }

  @Test
  void refusesOptionsOutOfRange() {
    assertThatThrownBy(() -> DecodeOptions.beam(65))
        .hasMessage("the beam size must be from 1 to 64, found 65");
    assertThatThrownBy(() -> DecodeOptions.beam(3).withNBest(4))
        .hasMessage("the n-best must be from 1 to the beam size, 3, found 4");
    assertThatThrownBy(() -> DecodeOptions.beam(3).withLengthNormalization(Float.NaN))
        .hasMessage("the length normalization must be from 0 to 10, found NaN");
    assertThatThrownBy(() -> DecodeOptions.beam(3).withMaxLengthFactor(0))
        .hasMessage("the maximum length factor must be above 0 and at most 100, found 0.0");
  }

  @Test
  void nativesLieWhereNobodyElseWrites() throws Exception {
    OpenBlas.load();
    Path folder = Path.of(System.getProperty("org.bytedeco.javacpp.cachedir"));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
        .isEqualTo("rwx------");
  }
}
