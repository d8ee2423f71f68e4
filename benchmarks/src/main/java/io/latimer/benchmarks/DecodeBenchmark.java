package io.latimer.benchmarks;

import io.latimer.operators.Result;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.cpu.CpuWeights;
import io.latimer.operators.nmt.cpu.DecodeCpu;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.DecodeStatistics;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.model.TranslationModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
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
 * The CPU decoder on the example model (or another English one: {@code -p model=FILE}) and the
 * example feed, from ids to ids: {@code words} is source words (separated by spaces) per second.
 * Also prints the share of time spent in matrix products.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class DecodeBenchmark {
  private static final long BUDGET = 1L << 30;

  @Param("examples/models/tatoeba-en-de.lmx")
  String model;

  @Param({"1", "16", "64", "256"})
  int batch;

  @Param({"1", "5"})
  int beam;

  @Param({"1", "2"})
  int threads;

  private final Sources sources = new Sources();
  private TranslationModel loaded;
  private CpuWeights weights;
  private DecodeCpu decode;

  /** Loads the model and converts the feed to ids. */
  @Setup
  public void load() throws IOException {
    loaded = TranslationModel.open(IndexFile.open(Path.of(model)));
    weights = CpuWeights.of(loaded.network());
    DecodeOptions options =
        beam == 1 ? DecodeOptions.greedy().withScores(false) : DecodeOptions.beam(beam);
    decode = new DecodeCpu(weights, options, threads, BUDGET);
    for (String line : Files.readAllLines(Path.of("examples/feeds/everyday.en.txt"))) {
      if (!line.isBlank()) {
        loaded
            .pipeline()
            .prepare(line)
            .forEach(
                sentence -> sources.add(sentence.ids(), sentence.text().split(" ", -1).length));
      }
    }
  }

  /** The next sentences of the feed as one batch. */
  @Benchmark
  public List<Result<Decoded>> decode(SourceWords counted) {
    return decode.decode(sources.batch(batch, counted));
  }

  /** Prints where the time went. */
  @TearDown
  public void report() {
    DecodeStatistics statistics = decode.statistics();
    System.out.printf(
        Locale.ROOT, "%nshare of time in matrix products: %.3f%n", statistics.matrixShare());
    decode.close();
    weights.close();
    loaded.close();
  }
}
