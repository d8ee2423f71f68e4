package io.latimer.benchmarks.gpu;

import io.latimer.benchmarks.gpu.BenchLines.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Plots the results of the scoring bench, like the figures of "N-gram language models for massively
 * parallel devices": billions of queries per second by keys per node, by batch size (with and
 * without copies), by model size and by order. Arguments: the bench's JSON lines, each with the
 * name of its model, and the SVG file to write.
 */
public final class LmPlot {
  private LmPlot() {}

  /** Draws the plot. */
  public static void main(String[] args) throws IOException {
    if (args.length != 2) {
      System.err.println("usage: LmPlot BENCH.jsonl OUT.svg");
      System.exit(2);
    }
    BenchLines lines = BenchLines.read(Path.of(args[0]));
    Chart chart =
        new Chart(0.001, 100)
            .panel("G queries/s by keys per node", of(lines, "keys", "keys"), false)
            .panel("by queries per batch", batches(lines), true)
            .panel("by model size in MB", of(lines, "size", "model_mb"), true)
            .panel("by model order", of(lines, "order", "order"), false);
    Files.writeString(Path.of(args[1]), chart.svg());
  }

  /** The largest batch of each model of a series. */
  private static Map<String, NavigableMap<Double, Double>> of(
      BenchLines lines, String series, String x) {
    Predicate<Line> in = line -> List.of(line.text("series").split(",", -1)).contains(series);
    List<Line> all = lines.where(in.and(line -> line.is("op", "lm")));
    double most = all.stream().mapToDouble(line -> line.number("queries")).max().orElse(0);
    return BenchLines.curves(
        all.stream().filter(line -> line.number("queries") == most).toList(),
        line -> line.text("layout"),
        line -> line.number(x),
        line -> line.number("kernel_gqps"));
  }

  private static Map<String, NavigableMap<Double, Double>> batches(BenchLines lines) {
    List<Line> all =
        lines.where(line -> line.is("op", "lm") && line.text("series").contains("batch"));
    Map<String, NavigableMap<Double, Double>> curves =
        new TreeMap<>(
            BenchLines.curves(
                all,
                line -> line.text("layout"),
                line -> line.number("queries"),
                line -> line.number("kernel_gqps")));
    curves.putAll(
        BenchLines.curves(
            all,
            line -> line.text("layout") + " with copies",
            line -> line.number("queries"),
            line -> line.number("copies_gqps")));
    return curves;
  }
}
