package io.latimer.benchmarks.gpu;

import io.latimer.benchmarks.gpu.BenchLines.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;

/**
 * Plots the results of the translation kernels' bench, like the figures of "Fast Neural Machine
 * Translation Implementation": speed by batch size with each idea switched off, speed by kind of
 * model, and the time of every step. Arguments: the bench's JSON lines, and the SVG file to write.
 */
public final class NmtPlot {
  private NmtPlot() {}

  /** Draws the plot. */
  public static void main(String[] args) throws IOException {
    if (args.length != 2) {
      System.err.println("usage: NmtPlot BENCH.jsonl OUT.svg");
      System.exit(2);
    }
    BenchLines lines = BenchLines.read(Path.of(args[0]));
    List<Line> speeds =
        lines.where(line -> line.is("op", "nmt-kernels") && line.is("batch", line.text("places")));
    Chart chart =
        new Chart(1, 10_000)
            .panel(
                "1000 words/s by batch, narrow, greedy",
                speed(
                    speeds.stream()
                        .filter(line -> line.is("shape", "narrow") && line.is("beam", "1"))
                        .filter(NmtPlot::isOfAllBatches)
                        .toList()),
                true)
            .panel(
                "1000 words/s by batch, beam 1 and 5",
                BenchLines.curves(
                    speeds.stream()
                        .filter(
                            line -> !line.is("shape", "narrow") && line.is("precision", "float16"))
                        .toList(),
                    line -> line.text("shape") + " beam " + line.text("beam"),
                    line -> line.number("batch"),
                    line -> line.number("words_per_s") / 1000),
                true)
            .panel(
                "microseconds of each step, narrow, 1024, beam 5",
                BenchLines.curves(
                    lines.where(line -> line.is("op", "nmt-step")),
                    NmtPlot::way,
                    line -> line.number("step"),
                    line -> line.number("ms") * 1000),
                true);
    Files.writeString(Path.of(args[1]), chart.svg());
  }

  private static Map<String, NavigableMap<Double, Double>> speed(List<Line> lines) {
    return BenchLines.curves(
        lines,
        NmtPlot::way,
        line -> line.number("batch"),
        line -> line.number("words_per_s") / 1000);
  }

  /** Softmax variants in 32 bits, and logits in memory, are compared at only one size. */
  private static boolean isOfAllBatches(Line line) {
    boolean half = line.is("precision", "float16");
    return !line.is("epilogue", "false") && (half || !line.is("separate", "true"));
  }

  private static String way(Line line) {
    if (line.is("keep_rows", "true")) {
      return "rows kept";
    }
    if (line.is("separate", "true")) {
      return "softmax apart";
    }
    if (line.is("graphs", "false")) {
      return "no graphs";
    }
    return line.is("precision", "float16") ? "all" : line.text("precision");
  }
}
