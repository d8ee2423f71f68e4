package io.latimer.benchmarks.gpu;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.nmt.gpu.DecodeGpu;
import io.latimer.operators.nmt.gpu.DecodeTuning;
import io.latimer.operators.nmt.gpu.GpuWeights;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.nmt.published.PublishedModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * A published model of the Marian kind on a GPU, from ids to ids in float16: greedy search and a
 * beam of 4, by batch size, with one batch at a time and with as many as keep the device busy.
 * Arguments: the folder, a file with the ids of a sentence per line, the maximum length of a
 * translation as a multiple of the source's, the device and the number of runs. Prints one JSON
 * object per line: source and target tokens per second, ends included, and sentences per second,
 * the median of the runs after a warm-up. {@code peers/published_transformers.py} prints the same.
 */
public final class PublishedBench {
  private static final int[] BATCHES = {1, 64, 256, 1024};
  private static final int SENTENCES = 4096;
  private static final int SINGLE_SENTENCES = 100;

  private final List<int[]> ids;
  private final float longest;
  private final int runs;

  private PublishedBench(List<int[]> ids, float longest, int runs) {
    this.ids = ids;
    this.longest = longest;
    this.runs = runs;
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws IOException {
    if (args.length != 5) {
      System.err.println("usage: PublishedBench FOLDER IDS MAX-LENGTH-FACTOR DEVICE RUNS");
      System.exit(2);
    }
    List<int[]> ids =
        Files.readAllLines(Path.of(args[1])).stream()
            .map(line -> Arrays.stream(line.split(" ")).mapToInt(Integer::parseInt).toArray())
            .toList();
    PublishedBench bench =
        new PublishedBench(ids, Float.parseFloat(args[2]), Integer.parseInt(args[4]));
    Path file = Files.createTempFile("published", ".lmx");
    try {
      PublishedModel.open(Path.of(args[0])).importTo(file, "");
      bench.run(file, Device.parse(args[3]));
    } finally {
      Files.delete(file);
    }
  }

  private void run(Path file, Device device) {
    try (IndexFile index = IndexFile.open(file);
        TranslationModel model = TranslationModel.open(index);
        GpuWeights resident = new GpuWeights(model.network(), device, NmtPrecision.FLOAT16)) {
      for (int beam : new int[] {1, 4}) {
        DecodeOptions options =
            DecodeOptions.beam(beam)
                .withMaxLengthFactor(longest)
                .withScores(beam > 1)
                .withShortlist(false);
        try (Decode decode = new DecodeGpu(resident, options, DecodeTuning.DEFAULT)) {
          for (int batch : BATCHES) {
            measure(decode, beam, batch, 1);
            measure(decode, beam, batch, decode.inFlight());
          }
        }
      }
    }
  }

  private void measure(Decode decode, int beam, int batch, int inFlight) {
    int sentences = batch == 1 ? SINGLE_SENTENCES : Math.max(SENTENCES, 2 * batch * inFlight);
    List<List<int[]>> batches = new ArrayList<>();
    long source = 0;
    for (int from = 0; from < sentences; from += batch) {
      int first = from;
      List<int[]> one =
          IntStream.range(0, batch).mapToObj(i -> ids.get((first + i) % ids.size())).toList();
      source += one.stream().mapToLong(sentence -> sentence.length).sum();
      batches.add(one);
    }
    long[] target = new long[batches.size()];
    double[] seconds = new double[runs];
    for (int run = -1; run < runs; run++) {
      double took =
          InFlight.seconds(
              inFlight, batches.size(), b -> target[b] = tokens(decode.decode(batches.get(b))));
      if (run >= 0) {
        seconds[run] = took;
      }
    }
    Spread spread = Spread.of(seconds);
    System.out.printf(
        Locale.ROOT,
        "{\"op\": \"published\", \"engine\": \"latimer\", \"precision\": \"float16\", \"beam\": %d,"
            + " \"batch\": %d, \"in_flight\": %d, %s, \"target_tokens_per_s\": %.0f,"
            + " \"sentences_per_s\": %.1f, \"runs\": %d}%n",
        beam,
        batch,
        inFlight,
        spread.rateOf((double) source).json("source_tokens_per_s", 0),
        spread.rateOf((double) Arrays.stream(target).sum()).median(),
        spread.rateOf(batches.size() * (double) batch).median(),
        runs);
  }

  private static long tokens(List<Result<Decoded>> results) {
    return results.stream().mapToLong(result -> result.orElseThrow().best().ids().length).sum();
  }
}
