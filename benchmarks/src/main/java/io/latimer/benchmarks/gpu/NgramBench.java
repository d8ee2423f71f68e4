package io.latimer.benchmarks.gpu;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.PinnedBuffer;
import io.latimer.operators.device.Stream;
import io.latimer.operators.ngram.CountNgrams;
import io.latimer.operators.ngram.NgramOptions;
import io.latimer.operators.ngram.NgramStrategy;
import io.latimer.operators.ngram.NgramUnit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * The n-gram operator from end to end: text in Java's heap, counts in the device's tables (and,
 * apart, the sorted table back in Java), beside the copy of the same bytes to the device alone.
 *
 * <p>Arguments: FILE, then the device, sizes in MB, orders, runs, such as {@code text.txt gpu:0
 * 1,64,498 1,2,3,4,5,8 7}. One JSON object a line; medians, after five runs of warm-up.
 */
public final class NgramBench {
  private static final int WARM_UP = 5;

  /** The one that chooses is measured last, when all that it may choose is warm. */
  private static final List<NgramStrategy> STRATEGIES =
      List.of(
          NgramStrategy.V1,
          NgramStrategy.V2,
          NgramStrategy.SORT,
          NgramStrategy.HASH,
          NgramStrategy.AUTO);

  private final byte[] file;
  private final Device device;
  private final int runs;

  private NgramBench(byte[] file, Device device, int runs) {
    this.file = file;
    this.device = device;
    this.runs = runs;
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws Exception {
    if (args.length != 5) {
      System.err.println("usage: NgramBench FILE DEVICE MB,.. ORDER,.. RUNS");
      System.exit(2);
    }
    NgramBench bench =
        new NgramBench(
            Files.readAllBytes(Path.of(args[0])), Device.parse(args[1]), Integer.parseInt(args[4]));
    for (String mb : args[2].split(",", -1)) {
      byte[] text = bench.text(Integer.parseInt(mb) * 1_000_000);
      if (bench.device.kind() == Device.Kind.GPU) {
        bench.report("copy", 0, text.length, bench.copy(text.length), 0, 0);
      }
      for (String order : args[3].split(",", -1)) {
        for (NgramStrategy strategy : STRATEGIES) {
          bench.count(text, Integer.parseInt(order), strategy);
        }
      }
    }
  }

  private byte[] text(int bytes) {
    byte[] text = new byte[bytes];
    for (int at = 0; at < bytes; at += file.length) {
      System.arraycopy(file, 0, text, at, Math.min(file.length, bytes - at));
    }
    return text;
  }

  /** Milliseconds that the bytes take from pinned memory to the device. */
  private double copy(int bytes) {
    Gpu gpu = Gpu.open(device);
    try (Arena arena = new Arena(gpu, "bench");
        Stream stream = new Stream(gpu, "bench");
        PinnedBuffer host = new PinnedBuffer(gpu, "bench", bytes)) {
      DeviceBuffer buffer = arena.allocate(bytes);
      double[] times = new double[runs];
      for (int run = -WARM_UP; run < runs; run++) {
        long start = System.nanoTime();
        stream.copyIn(host, 0, bytes, buffer);
        stream.synchronize();
        if (run >= 0) {
          times[run] = (System.nanoTime() - start) / 1e6;
        }
      }
      return Median.of(times);
    }
  }

  private void count(byte[] text, int order, NgramStrategy strategy) {
    boolean dense = strategy == NgramStrategy.V1 || strategy == NgramStrategy.V2;
    if (dense && order > (strategy == NgramStrategy.V1 ? 4 : 3)) {
      return;
    }
    NgramOptions options = new NgramOptions(NgramUnit.BYTES, order, strategy);
    try (CountNgrams<byte[]> counter = CountNgrams.ofBytes(options, device)) {
      double[] counting = new double[runs];
      double[] listing = new double[runs];
      int distinct = 0;
      for (int run = -WARM_UP; run < runs; run++) {
        counter.clear();
        long start = System.nanoTime();
        counter.apply(List.of(text)).get(0).orElseThrow();
        long counted = System.nanoTime();
        distinct = counter.counts().size();
        if (run >= 0) {
          counting[run] = (counted - start) / 1e6;
          listing[run] = (System.nanoTime() - counted) / 1e6;
        }
      }
      report(
          strategy.toString(),
          order,
          text.length,
          Median.of(counting),
          Median.of(listing),
          distinct);
    }
  }

  private void report(
      String strategy, int order, int bytes, double count, double list, int distinct) {
    System.out.printf(
        Locale.ROOT,
        "{\"op\": \"ngrams\", \"level\": \"operator\", \"device\": \"%s\", \"strategy\": \"%s\","
            + " \"n\": %d, \"bytes\": %d, \"count_ms\": %.4f, \"table_ms\": %.4f, \"distinct\": %d,"
            + " \"runs\": %d}%n",
        device,
        strategy,
        order,
        bytes,
        count,
        list,
        distinct,
        runs);
  }
}
