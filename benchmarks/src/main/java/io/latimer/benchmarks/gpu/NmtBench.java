package io.latimer.benchmarks.gpu;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.gpu.DecodeGpu;
import io.latimer.operators.nmt.gpu.DecodeTuning;
import io.latimer.operators.nmt.gpu.GpuWeights;
import io.latimer.operators.nmt.model.TranslationModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Translation on a GPU end to end: from ids to ids, by precision, search, graphs, batch size and
 * batches in flight; then from text to text, on all cores. Arguments: MODEL.lmx TEXT DEVICE RUNS,
 * and {@code ids} or {@code text} for only one of the two. Prints one JSON object per line: source
 * words (separated by spaces) and tokens (pieces, including the end of each sentence) per second,
 * the median of the runs after a warm-up, and for batches of one the median latency.
 */
public final class NmtBench {
  private static final int[] BATCHES = {1, 64, 256, 1024, 4096};

  /** Sentences per run: at least this many, and six batches in turn. */
  private static final int SENTENCES = 8192;

  private static final int SINGLE_SENTENCES = 500;

  private final Device device;
  private final Path file;
  private final int runs;
  private final List<String> lines;
  private final List<int[]> ids = new ArrayList<>();

  private NmtBench(Path file, Path text, Device device, int runs) throws IOException {
    this.file = file;
    this.device = device;
    this.runs = runs;
    this.lines = Files.readAllLines(text).stream().filter(line -> !line.isBlank()).toList();
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws IOException {
    if (args.length != 4 && args.length != 5) {
      System.err.println("usage: NmtBench MODEL.lmx TEXT DEVICE RUNS [ids|text]");
      System.exit(2);
    }
    new NmtBench(
            Path.of(args[0]), Path.of(args[1]), Device.parse(args[2]), Integer.parseInt(args[3]))
        .run(args.length == 5 ? args[4] : "");
  }

  private void run(String level) throws IOException {
    try (IndexFile index = IndexFile.open(file);
        TranslationModel model = TranslationModel.open(index)) {
      for (String line : lines) {
        ids.add(model.pipeline().prepare(line, false).get(0).ids());
      }
      for (NmtPrecision precision :
          level.equals("text")
              ? new NmtPrecision[0]
              : new NmtPrecision[] {NmtPrecision.FLOAT16, NmtPrecision.FLOAT32}) {
        try (GpuWeights resident = new GpuWeights(model.network(), device, precision)) {
          for (DecodeOptions options :
              List.of(
                  DecodeOptions.greedy().withScores(false),
                  DecodeOptions.greedy(),
                  DecodeOptions.beam(5))) {
            ids(resident, options);
          }
        }
      }
    }
    for (int beam : level.equals("ids") ? new int[0] : new int[] {1, 5}) {
      text(beam);
    }
  }

  private void ids(GpuWeights resident, DecodeOptions options) {
    // the gain from graphs is measured only once
    boolean plain = resident.precision() == NmtPrecision.FLOAT16 && !options.scores();
    for (boolean graphs : plain ? new boolean[] {true, false} : new boolean[] {true}) {
      DecodeTuning tuning = DecodeTuning.DEFAULT.withGraphs(graphs);
      try (Decode decode = new DecodeGpu(resident, options, tuning)) {
        for (int batch : BATCHES) {
          for (int inFlight : graphs ? new int[] {1, 2} : new int[] {1}) {
            String what =
                String.format(
                    Locale.ROOT,
                    "\"level\": \"ids\", \"precision\": \"%s\", \"beam\": %d, \"scores\": %s,"
                        + " \"graphs\": %s",
                    resident.precision(),
                    options.beamSize(),
                    options.scores(),
                    graphs);
            measure(
                what,
                batch,
                inFlight,
                places ->
                    decode
                        .decode(Arrays.stream(places).mapToObj(ids::get).toList())
                        .forEach(result -> result.orElseThrow()));
          }
        }
      }
    }
  }

  private void text(int beam) {
    TranslateOptions options =
        TranslateOptions.of(DecodeOptions.beam(beam).withScores(beam > 1))
            .withSplitSentences(Optional.of(false))
            .withPrecision(Optional.of(NmtPrecision.FLOAT16));
    try (Translate translate = Translate.opener(options).open(file, device)) {
      for (int batch : BATCHES) {
        for (int inFlight : new int[] {1, 2, translate.inFlight()}) {
          String what =
              String.format(
                  Locale.ROOT,
                  "\"level\": \"text\", \"precision\": \"float16\", \"beam\": %d, \"scores\": %s,"
                      + " \"graphs\": true",
                  beam,
                  options.search().scores());
          measure(
              what,
              batch,
              inFlight,
              places ->
                  translate
                      .apply(Arrays.stream(places).mapToObj(lines::get).toList())
                      .forEach(result -> result.orElseThrow()));
        }
      }
    }
  }

  /** Measures work on lines of the text, given by their indexes. */
  private void measure(String what, int batch, int inFlight, Consumer<int[]> work) {
    int sentences = batch == 1 ? SINGLE_SENTENCES : Math.max(SENTENCES, 6 * batch * inFlight);
    List<int[]> batches = new ArrayList<>();
    for (int from = 0; from < sentences; from += batch) {
      int first = from;
      batches.add(IntStream.range(0, batch).map(i -> (first + i) % ids.size()).toArray());
    }
    double[] seconds = new double[runs];
    double[] latencies = new double[batches.size()];
    for (int run = -1; run < runs; run++) {
      double took =
          InFlight.seconds(
              inFlight,
              batches.size(),
              b -> {
                long began = System.nanoTime();
                work.accept(batches.get(b));
                latencies[b] = (System.nanoTime() - began) / 1e6;
              });
      if (run >= 0) {
        seconds[run] = took;
      }
    }
    Spread spread = Spread.of(seconds);
    long words = 0;
    long tokens = 0;
    for (int[] places : batches) {
      for (int place : places) {
        words += lines.get(place).trim().split("\\s+").length;
        tokens += ids.get(place).length;
      }
    }
    System.out.printf(
        Locale.ROOT,
        "{\"op\": \"nmt\", %s, \"batch\": %d, \"in_flight\": %d, %s, \"tokens_per_s\": %.0f,"
            + " \"sentences_per_s\": %.0f, \"p50_ms\": %.3f, \"runs\": %d}%n",
        what,
        batch,
        inFlight,
        spread.rateOf((double) words).json("words_per_s", 0),
        spread.rateOf((double) tokens).median(),
        spread.rateOf(sentences).median(),
        Spread.of(latencies).median(),
        runs);
  }
}
