package io.latimer.benchmarks.gpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Draws what the bench of the kernels has measured, as the figures of "NGrams with CUDA" do: time
 * by size of text for each n, and time by n for the largest text, a line a strategy, both axes
 * logarithmic. Arguments: the bench's JSON lines, and the SVG to write.
 */
public final class NgramPlot {
  private static final Pattern FIELD =
      Pattern.compile("\"(\\w+)\": (?:\"([^\"]*)\"|([0-9.]+|true|false))");
  private static final Map<String, String> COLOURS =
      Map.of(
          "v1", "#d62728", "v2", "#ff7f0e", "sort", "#1f77b4", "shared", "#2ca02c", "hash",
          "#9467bd");
  private static final int WIDTH = 300;
  private static final int HEIGHT = 220;
  private static final int MARGIN = 46;

  private NgramPlot() {}

  /** One measurement. */
  private record Point(String strategy, int order, long bytes, double milliseconds) {}

  /** Draws. */
  public static void main(String[] args) throws IOException {
    if (args.length != 2) {
      System.err.println("usage: NgramPlot BENCH.jsonl OUT.svg");
      System.exit(2);
    }
    Files.writeString(Path.of(args[1]), svg(read(Files.readAllLines(Path.of(args[0])))));
  }

  private static List<Point> read(List<String> lines) {
    List<Point> points = new ArrayList<>();
    for (String line : lines) {
      Map<String, String> fields = new TreeMap<>();
      Matcher field = FIELD.matcher(line);
      while (field.find()) {
        fields.put(field.group(1), field.group(2) == null ? field.group(3) : field.group(2));
      }
      if (fields.getOrDefault("fits", "false").equals("true")
          && COLOURS.containsKey(fields.get("strategy"))) {
        points.add(
            new Point(
                fields.get("strategy"),
                Integer.parseInt(fields.get("n")),
                Long.parseLong(fields.get("bytes")),
                Double.parseDouble(fields.get("count_ms"))));
      }
    }
    return points;
  }

  private static String svg(List<Point> points) {
    List<Integer> orders = points.stream().map(Point::order).distinct().sorted().toList();
    long largest = points.stream().mapToLong(Point::bytes).max().orElse(1);
    int columns = 3;
    int panels = orders.size() + 1;
    int rows = (panels + columns - 1) / columns;
    StringBuilder out = new StringBuilder();
    out.append(
        String.format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                + " font-family=\"sans-serif\" font-size=\"10\">%n<rect width=\"100%%\""
                + " height=\"100%%\" fill=\"white\"/>%n",
            columns * WIDTH, rows * HEIGHT + 20));
    int panel = 0;
    for (int order : orders) {
      Map<String, NavigableMap<Double, Double>> lines = new TreeMap<>();
      points.stream()
          .filter(p -> p.order == order)
          .forEach(p -> line(lines, p).put(p.bytes / 1e6, p.milliseconds));
      panel(out, panel++, columns, "n = " + order + ": ms by MB of text", lines, true);
    }
    Map<String, NavigableMap<Double, Double>> byOrder = new TreeMap<>();
    points.stream()
        .filter(p -> p.bytes == largest)
        .forEach(p -> line(byOrder, p).put((double) p.order, p.milliseconds));
    panel(out, panel, columns, "ms by n, " + largest / 1_000_000 + " MB", byOrder, false);
    int x = 10;
    for (String strategy : new TreeMap<>(COLOURS).keySet()) {
      out.append(
          String.format(
              "<text x=\"%d\" y=\"%d\" fill=\"%s\" font-size=\"12\">%s</text>%n",
              x, rows * HEIGHT + 14, COLOURS.get(strategy), strategy));
      x += 70;
    }
    return out.append("</svg>\n").toString();
  }

  private static NavigableMap<Double, Double> line(
      Map<String, NavigableMap<Double, Double>> lines, Point point) {
    return lines.computeIfAbsent(point.strategy, k -> new TreeMap<>());
  }

  private static void panel(
      StringBuilder out,
      int number,
      int columns,
      String title,
      Map<String, NavigableMap<Double, Double>> lines,
      boolean logX) {
    int left = number % columns * WIDTH + MARGIN;
    int top = number / columns * HEIGHT + 24;
    int width = WIDTH - MARGIN - 12;
    int height = HEIGHT - 60;
    double lowX = lines.values().stream().mapToDouble(NavigableMap::firstKey).min().orElse(1);
    double highX = lines.values().stream().mapToDouble(NavigableMap::lastKey).max().orElse(10);
    double lowY = 0.01;
    double highY = 1000;
    out.append(
        String.format(
            "<text x=\"%d\" y=\"%d\" font-size=\"11\">%s</text>%n<rect x=\"%d\" y=\"%d\""
                + " width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>%n",
            left, top - 6, title, left, top, width, height));
    for (double tick = lowY; tick <= highY * 1.01; tick *= 10) {
      double y = top + height - height * share(tick, lowY, highY, true);
      out.append(
          String.format(
              Locale.ROOT,
              "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"%d\""
                  + " y=\"%.1f\" text-anchor=\"end\">%s</text>%n",
              left,
              left + width,
              y,
              y,
              left - 4,
              y + 3,
              tick < 1
                  ? String.format(Locale.ROOT, "%.2f", tick)
                  : String.valueOf(Math.round(tick))));
    }
    for (double tick = lowX; tick <= highX * 1.01; tick = logX ? tick * 10 : tick + 1) {
      double x = left + width * share(tick, lowX, highX, logX);
      out.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>%n",
              x,
              top + height + 12,
              Math.round(tick)));
    }
    lines.forEach(
        (strategy, line) -> {
          StringBuilder path = new StringBuilder();
          line.forEach(
              (at, ms) ->
                  path.append(
                      String.format(
                          Locale.ROOT,
                          "%.1f,%.1f ",
                          left + width * share(at, lowX, highX, logX),
                          top + height - height * share(ms, lowY, highY, true))));
          out.append(
              String.format(
                  "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"/>%n",
                  path.toString().strip(), COLOURS.get(strategy)));
        });
  }

  private static double share(double value, double low, double high, boolean log) {
    if (high <= low) {
      return 0.5;
    }
    double share =
        log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    return Math.max(0, Math.min(1, share));
  }
}
