package io.latimer.benchmarks.gpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The output of a bench: flat JSON objects, one per line. */
final class BenchLines {
  private static final Pattern FIELD =
      Pattern.compile("\"(\\w+)\": (?:\"([^\"]*)\"|([-0-9.]+|true|false))");

  private final List<Line> lines = new ArrayList<>();

  /** One measurement, field by field. */
  record Line(Map<String, String> fields) {
    String text(String field) {
      return fields.getOrDefault(field, "");
    }

    double number(String field) {
      return Double.parseDouble(fields.get(field));
    }

    boolean is(String field, String value) {
      return text(field).equals(value);
    }
  }

  static BenchLines read(Path... files) throws IOException {
    BenchLines read = new BenchLines();
    for (Path file : files) {
      for (String line : Files.readAllLines(file)) {
        Map<String, String> fields = new TreeMap<>();
        Matcher field = FIELD.matcher(line);
        while (field.find()) {
          fields.put(field.group(1), field.group(2) == null ? field.group(3) : field.group(2));
        }
        read.lines.add(new Line(fields));
      }
    }
    return read;
  }

  List<Line> where(Predicate<Line> wanted) {
    return lines.stream().filter(wanted).toList();
  }

  /** Curves for a chart: y by x, per name. */
  static Map<String, NavigableMap<Double, Double>> curves(
      List<Line> of,
      Function<Line, String> name,
      ToDoubleFunction<Line> x,
      ToDoubleFunction<Line> y) {
    Map<String, NavigableMap<Double, Double>> curves = new TreeMap<>();
    for (Line line : of) {
      curves
          .computeIfAbsent(name.apply(line), k -> new TreeMap<>())
          .put(x.applyAsDouble(line), y.applyAsDouble(line));
    }
    return curves;
  }
}
