package io.latimer.benchmarks;

import io.latimer.operators.Result;
import io.latimer.operators.nmt.cpu.CpuWeights;
import io.latimer.operators.nmt.cpu.DecodeCpu;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.model.CellKind;
import io.latimer.operators.nmt.model.LayerNormalization;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.RnnSettings;
import io.latimer.operators.nmt.model.Shortlist;
import io.latimer.operators.nmt.model.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The CPU decoder with and without a shortlist (100 first words, 100 best) on a recurrent network
 * with random weights, a vocabulary of 30,000, E 512 and H 256 or 1,024: {@code words} is source
 * words per second. Source words and the words of the table follow Zipf's law, because that
 * determines how many words the sentences of a batch share. Hypotheses are as long as their source.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 1, time = 4)
@Measurement(iterations = 2, time = 4)
@Fork(1)
public class ShortlistBenchmark {
  private static final long BUDGET = 1L << 30;
  private static final int VOCABULARY = 30_000;
  private static final int FIRST = 100;
  private static final int BEST = 100;
  private static final int LENGTH = 14;

  @Param({"true", "false"})
  boolean shortlist;

  @Param({"256", "1024"})
  int state;

  @Param({"1", "16", "256"})
  int batch;

  @Param({"1", "5"})
  int beam;

  @Param("2")
  int threads;

  private final Random random = new Random(30_000);
  private final Sources sources = new Sources();
  private CpuWeights weights;
  private DecodeCpu decode;

  /** Makes network, table and sentences. */
  @Setup
  public void make() {
    RnnSettings settings =
        RnnSettings.plain(
            VOCABULARY, VOCABULARY, 512, state, 2 * state, CellKind.GRU, LayerNormalization.NONE);
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    settings
        .shapes()
        .forEach(
            (name, shape) -> {
              float[] values = new float[shape.rows() * shape.cols()];
              for (int i = 0; i < values.length; i++) {
                values[i] = (random.nextFloat() - 0.5f) * 0.1f;
              }
              if (name.equals("output.bias")) {
                values[Decode.END] = -10; // hypotheses continue to their limit
              }
              tensors.put(name, Tensor.of(name, shape.rows(), shape.cols(), values));
            });
    weights = CpuWeights.of(Network.of(settings, tensors).withShortlist(table()));
    DecodeOptions options =
        DecodeOptions.beam(beam)
            .withScores(beam > 1)
            .withMaxLengthFactor(1)
            .withShortlist(shortlist);
    decode = new DecodeCpu(weights, options, threads, BUDGET);
    for (int i = 0; i < 2048; i++) {
      int[] ids = new int[LENGTH / 2 + random.nextInt(LENGTH)];
      for (int t = 0; t < ids.length - 1; t++) {
        ids[t] = word();
      }
      sources.add(ids, ids.length - 1);
    }
  }

  private Shortlist table() {
    int[] starts = new int[VOCABULARY + 1];
    List<Integer> words = new ArrayList<>();
    for (int source = 0; source < VOCABULARY; source++) {
      TreeSet<Integer> best = new TreeSet<>();
      for (int i = 0; i < BEST; i++) {
        best.add(word());
      }
      words.addAll(best.tailSet(FIRST));
      starts[source + 1] = words.size();
    }
    return Shortlist.of(
        FIRST, false, VOCABULARY, starts, words.stream().mapToInt(Integer::intValue).toArray());
  }

  /**
   * Probabilities of words are inverse to their ranks: the logarithms of ranks are distributed
   * evenly.
   */
  private int word() {
    return (int) Math.exp(Math.log(2) + random.nextDouble() * Math.log(VOCABULARY / 2.0));
  }

  /** The next sentences as one batch. */
  @Benchmark
  public List<Result<Decoded>> decode(SourceWords counted) {
    return decode.decode(sources.batch(batch, counted));
  }

  /** Releases the weights. */
  @TearDown
  public void close() {
    decode.close();
    weights.close();
  }
}
