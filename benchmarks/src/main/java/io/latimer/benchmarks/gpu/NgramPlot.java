package io.latimer.benchmarks.gpu;

import io.latimer.benchmarks.gpu.BenchLines.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Plots the results of the kernels' bench, like the figures of "NGrams with CUDA": time by size of
 * text for each n, and time by n for the largest text, one curve per strategy. Arguments: the
 * bench's JSON lines, and the SVG file to write.
 */
public final class NgramPlot {
  private NgramPlot() {}

  /** Draws the plot. */
  public static void main(String[] args) throws IOException {
    if (args.length != 2) {
      System.err.println("usage: NgramPlot BENCH.jsonl OUT.svg");
      System.exit(2);
    }
    List<Line> lines = BenchLines.read(Path.of(args[0])).where(line -> line.is("fits", "true"));
    Chart chart = new Chart(0.001, 1000);
    for (int n : lines.stream().mapToInt(l -> (int) l.number("n")).distinct().sorted().toArray()) {
      chart.panel(
          "n = " + n + ": ms by MB of text",
          BenchLines.curves(
              lines.stream().filter(line -> line.number("n") == n).toList(),
              line -> line.text("strategy"),
              line -> line.number("bytes") / 1e6,
              line -> line.number("count_ms")),
          true);
    }
    double largest = lines.stream().mapToDouble(line -> line.number("bytes")).max().orElse(0);
    chart.panel(
        "ms by n, " + Math.round(largest / 1e6) + " MB",
        BenchLines.curves(
            lines.stream().filter(line -> line.number("bytes") == largest).toList(),
            line -> line.text("strategy"),
            line -> line.number("n"),
            line -> line.number("count_ms")),
        false);
    Files.writeString(Path.of(args[1]), chart.svg());
  }
}
