package io.latimer.benchmarks.gpu;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.PinnedBuffer;
import io.latimer.operators.device.Stream;
import io.latimer.operators.ngram.CountNgrams;
import io.latimer.operators.ngram.NgramCounts;
import io.latimer.operators.ngram.NgramOptions;
import io.latimer.operators.ngram.NgramStrategy;
import io.latimer.operators.ngram.NgramUnit;
import io.latimer.operators.ngram.WordIds;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The n-gram operator end to end: from text in Java's heap to counts in the device's tables (and,
 * measured separately, the sorted table back in Java), beside a plain copy of the same bytes to the
 * device.
 *
 * <p>Arguments: FILE, then the device, sizes in MB, orders, runs, such as {@code text.txt gpu:0
 * 1,64,498 1,2,3,4,5,8 7}, and {@code words} to count words instead of bytes: word ids are prepared
 * beforehand, and each line is a record. Prints one JSON object per line; median, minimum and
 * maximum, after five warm-up runs. The checksum of byte n-grams is the sum of {@code mix(n-gram) *
 * count}.
 */
public final class NgramBench {
  private static final int WARM_UP = 5;

  /** Auto is measured last, when every strategy it may choose is warm. */
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
    NgramUnit unit =
        args.length == 6 && args[5].equals("words") ? NgramUnit.WORDS : NgramUnit.BYTES;
    if (args.length != 5 && unit == NgramUnit.BYTES) {
      System.err.println("usage: NgramBench FILE DEVICE MB,.. ORDER,.. RUNS [words]");
      System.exit(2);
    }
    NgramBench bench =
        new NgramBench(
            Files.readAllBytes(Path.of(args[0])), Device.parse(args[1]), Integer.parseInt(args[4]));
    int[] orders =
        Arrays.stream(args[3].split(",", -1))
            .mapToInt(Integer::parseInt)
            .filter(order -> order <= unit.maxOrder())
            .toArray();
    for (String mb : args[2].split(",", -1)) {
      int bytes = Integer.parseInt(mb) * 1_000_000;
      if (unit == NgramUnit.WORDS) {
        bench.words(bytes, orders);
      } else {
        bench.bytes(bytes, orders);
      }
    }
  }

  private void bytes(int bytes, int[] orders) {
    byte[] text = new byte[bytes];
    for (int at = 0; at < bytes; at += file.length) {
      System.arraycopy(file, 0, text, at, Math.min(file.length, bytes - at));
    }
    if (device.kind() == Device.Kind.GPU) {
      Spread copy = copy(bytes);
      report("bytes", "copy", 0, bytes, copy, new Spread(0, 0, 0), 0, "");
    }
    for (int order : orders) {
      for (NgramStrategy strategy : STRATEGIES) {
        boolean dense = strategy == NgramStrategy.V1 || strategy == NgramStrategy.V2;
        if (!dense || order <= (strategy == NgramStrategy.V1 ? 4 : 3)) {
          NgramOptions options = new NgramOptions(NgramUnit.BYTES, order, strategy);
          try (CountNgrams<byte[]> counter = CountNgrams.ofBytes(options, device)) {
            count(counter, List.of(text), bytes);
          }
        }
      }
    }
  }

  private void words(int bytes, int[] orders) {
    List<int[]> lines = new ArrayList<>();
    WordIds ids = new WordIds();
    new String(file, StandardCharsets.UTF_8).lines().forEach(line -> lines.add(ids.ids(line)));
    List<int[]> text = new ArrayList<>();
    int whole =
        Math.max(1, bytes / file.length); // repetitions of the file, without splitting lines
    for (int i = 0; i < whole; i++) {
      text.addAll(lines);
    }
    for (int order : orders) {
      for (NgramStrategy strategy : STRATEGIES) {
        if (strategy != NgramStrategy.V1 && strategy != NgramStrategy.V2) {
          NgramOptions options = new NgramOptions(NgramUnit.WORDS, order, strategy);
          try (CountNgrams<int[]> counter = CountNgrams.ofWords(options, device)) {
            count(counter, text, (long) whole * file.length);
          }
        }
      }
    }
  }

  /** The time to copy the bytes from pinned memory to the device, in milliseconds. */
  private Spread copy(int bytes) {
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
      return Spread.of(times);
    }
  }

  private <T> void count(CountNgrams<T> counter, List<T> text, long bytes) {
    double[] counting = new double[runs];
    double[] listing = new double[runs];
    NgramCounts counts = null;
    for (int run = -WARM_UP; run < runs; run++) {
      counter.clear();
      long start = System.nanoTime();
      counter.apply(text).forEach(result -> result.orElseThrow());
      long counted = System.nanoTime();
      counts = counter.counts();
      if (run >= 0) {
        counting[run] = (counted - start) / 1e6;
        listing[run] = (System.nanoTime() - counted) / 1e6;
      }
    }
    NgramOptions options = counter.options();
    report(
        options.unit().toString(),
        options.strategy().toString(),
        options.order(),
        bytes,
        Spread.of(counting),
        Spread.of(listing),
        counts.size(),
        options.unit() == NgramUnit.BYTES
            ? String.format(", \"checksum\": \"%016x\"", checksum(counts))
            : "");
  }

  /** A checksum that every counter of the same n-grams must reproduce; peers compute it, too. */
  private static long checksum(NgramCounts counts) {
    long sum = 0;
    for (int i = 0; i < counts.size(); i++) {
      long key = counts.byteKey(i);
      key = (key ^ key >>> 33) * 0xff51afd7ed558ccdL;
      key = (key ^ key >>> 33) * 0xc4ceb9fe1a85ec53L;
      sum += (key ^ key >>> 33) * counts.count(i);
    }
    return sum;
  }

  private void report(
      String unit,
      String strategy,
      int order,
      long bytes,
      Spread count,
      Spread table,
      int distinct,
      String more) {
    System.out.printf(
        Locale.ROOT,
        "{\"op\": \"ngrams\", \"level\": \"operator\", \"unit\": \"%s\", \"device\": \"%s\","
            + " \"strategy\": \"%s\", \"n\": %d, \"bytes\": %d, %s, %s, \"distinct\": %d%s,"
            + " \"runs\": %d}%n",
        unit,
        device,
        strategy,
        order,
        bytes,
        count.json("count_ms", 4),
        table.json("table_ms", 4),
        distinct,
        more,
        runs);
  }
}
