package io.latimer.benchmarks.gpu;

import io.latimer.benchmarks.gpu.BenchLines.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Makes a table of the results of {@link NmtBench}: thousands of source words per second, one row
 * per mode and one column per batch size. Arguments: its JSON lines, and the Markdown file to
 * write.
 */
public final class NmtTable {
  private NmtTable() {}

  /** Writes the table. */
  public static void main(String[] args) throws IOException {
    if (args.length != 2) {
      System.err.println("usage: NmtTable BENCH.jsonl OUT.md");
      System.exit(2);
    }
    Files.writeString(Path.of(args[1]), markdown(BenchLines.read(Path.of(args[0]))));
  }

  private static String markdown(BenchLines bench) {
    List<Line> lines = bench.where(line -> line.is("op", "nmt"));
    Map<String, NavigableMap<Double, Double>> rows =
        BenchLines.curves(
            lines, NmtTable::row, line -> line.number("batch"), line -> line.number("words_per_s"));
    Map<String, Double> latency = new TreeMap<>();
    lines.stream()
        .filter(line -> line.is("batch", "1"))
        .forEach(line -> latency.put(row(line), line.number("p50_ms")));
    int[] batches =
        lines.stream().mapToInt(l -> (int) l.number("batch")).distinct().sorted().toArray();
    StringBuilder table = new StringBuilder("| 1000 source words/s, by size of batch |");
    for (int batch : batches) {
      table.append(' ').append(batch).append(" |");
    }
    table.append(" ms at 1, p50 |\n|---|").append("---|".repeat(batches.length + 1)).append('\n');
    rows.forEach(
        (name, curve) -> {
          table.append("| ").append(name).append(" |");
          for (int batch : batches) {
            Double words = curve.get((double) batch);
            table.append(
                words == null ? " |" : String.format(Locale.ROOT, " %.1f |", words / 1000));
          }
          Double single = latency.get(name);
          table.append(single == null ? " |\n" : String.format(Locale.ROOT, " %.2f |\n", single));
        });
    return table.toString();
  }

  private static String row(Line line) {
    String search =
        line.is("beam", "1")
            ? line.is("scores", "true") ? "greedy with scores" : "greedy"
            : "beam " + line.text("beam");
    return line.text("level")
        + ", "
        + search
        + ", "
        + line.text("precision")
        + (line.is("graphs", "true") ? "" : ", no graphs")
        + (line.is("in_flight", "1") ? "" : ", " + line.text("in_flight") + " batches in flight");
  }
}
