package io.latimer.benchmarks.gpu;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Panels of curves side by side as an SVG; the y axes are logarithmic. */
final class Chart {
  private static final List<String> COLOURS =
      List.of("#9467bd", "#2ca02c", "#1f77b4", "#d62728", "#ff7f0e", "#8c564b", "#17becf");
  private static final int COLUMNS = 3;
  private static final int WIDTH = 300;
  private static final int HEIGHT = 220;
  private static final int MARGIN = 46;

  /** In the legend: length of a curve's sample, and line height. */
  private static final int SAMPLE = 24;

  private static final int LINE = 16;

  private final double lowY;
  private final double highY;
  private final StringBuilder drawn = new StringBuilder();
  private final Map<String, String> strokes = new TreeMap<>();
  private int panels;

  /** Makes a chart without panels; both bounds of the y axes are powers of ten. */
  Chart(double lowY, double highY) {
    this.lowY = lowY;
    this.highY = highY;
  }

  /**
   * Draws a panel.
   *
   * @param curves y by x, per name; a name has the same style in all panels
   * @param logX whether the x axis is logarithmic
   */
  Chart panel(String title, Map<String, NavigableMap<Double, Double>> curves, boolean logX) {
    int left = panels % COLUMNS * WIDTH + MARGIN;
    int top = panels / COLUMNS * HEIGHT + 24;
    panels++;
    int width = WIDTH - MARGIN - 12;
    int height = HEIGHT - 60;
    double lowX = curves.values().stream().mapToDouble(NavigableMap::firstKey).min().orElse(1);
    double highX = curves.values().stream().mapToDouble(NavigableMap::lastKey).max().orElse(10);
    add("<text x=\"%d\" y=\"%d\" font-size=\"11\">%s</text>", left, top - 6, title);
    add(
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>",
        left, top, width, height);
    for (double tick = lowY; tick <= highY * 1.01; tick *= 10) {
      double y = top + height - height * share(tick, lowY, highY, true);
      add(
          "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
              + "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
          left, left + width, y, y, left - 4, y + 3, label(tick));
    }
    for (double tick : ticks(curves, lowX, highX, logX)) {
      add(
          "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
          left + width * share(tick, lowX, highX, logX), top + height + 12, label(tick));
    }
    curves.forEach(
        (name, curve) -> {
          StringBuilder path = new StringBuilder();
          curve.forEach(
              (x, y) ->
                  path.append(
                      String.format(
                          Locale.ROOT,
                          "%.1f,%.1f ",
                          left + width * share(x, lowX, highX, logX),
                          top + height - height * share(y, lowY, highY, true))));
          add("<polyline points=\"%s\" fill=\"none\" %s/>", path.toString().strip(), stroke(name));
        });
    return this;
  }

  /** Powers of ten on a logarithmic axis, all measured values on a linear one. */
  private static List<Double> ticks(
      Map<String, NavigableMap<Double, Double>> curves, double lowX, double highX, boolean logX) {
    if (!logX) {
      return curves.values().stream().flatMap(c -> c.keySet().stream()).distinct().toList();
    }
    List<Double> ticks = new ArrayList<>();
    for (double tick = Math.pow(10, Math.ceil(Math.log10(lowX) - 1e-9)); tick <= highX * 1.01; ) {
      ticks.add(tick);
      tick *= 10;
    }
    return ticks;
  }

  private static String label(double tick) {
    return tick < 1e6
        ? new BigDecimal(tick).round(new MathContext(3)).stripTrailingZeros().toPlainString()
        : String.format(Locale.ROOT, "%.0e", tick);
  }

  /** Cycles through colours; repeated colours are dashed. */
  private String stroke(String name) {
    return strokes.computeIfAbsent(
        name,
        k -> {
          int turn = strokes.size() / COLOURS.size();
          return String.format(
              "stroke=\"%s\" stroke-width=\"1.6\"%s",
              COLOURS.get(strokes.size() % COLOURS.size()),
              turn == 0 ? "" : " stroke-dasharray=\"" + (8 / turn) + " 3\"");
        });
  }

  private void add(String format, Object... values) {
    drawn.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  /** The whole chart, with a legend below. */
  String svg() {
    int rows = (panels + COLUMNS - 1) / COLUMNS;
    int y = rows * HEIGHT + 14;
    int x = 10;
    for (Map.Entry<String, String> entry : strokes.entrySet()) {
      int length = SAMPLE + 24 + 7 * entry.getKey().length();
      if (x + length > COLUMNS * WIDTH) {
        x = 10;
        y += LINE;
      }
      add(
          "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" %s/>"
              + "<text x=\"%d\" y=\"%d\" font-size=\"12\">%s</text>",
          x, x + SAMPLE, y - 4, y - 4, entry.getValue(), x + SAMPLE + 4, y, entry.getKey());
      x += length;
    }
    return String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                + " font-family=\"sans-serif\" font-size=\"10\">%n"
                + "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
            COLUMNS * WIDTH,
            y + 6)
        + drawn
        + "</svg>\n";
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
