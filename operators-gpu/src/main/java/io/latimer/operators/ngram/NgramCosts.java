package io.latimer.operators.ngram;

import io.latimer.operators.OperatorException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Measured costs of the strategies, by which auto chooses (the paper's hybrid). The measurements
 * are in the resource ngram-costs.tsv. They time whole operators, not kernels alone, because a
 * sort's result must also be merged on the host. NgramBench produces them; the columns are unit,
 * order, strategy, bytes of text, milliseconds.
 *
 * @param measured milliseconds by bytes of text, per strategy, per unit and order
 */
record NgramCosts(Map<String, Map<NgramStrategy, NavigableMap<Long, Double>>> measured) {
  private static final String RESOURCE = "ngram-costs.tsv";

  /** The measurements bundled with this build. */
  static NgramCosts load() {
    try (InputStream in = NgramCosts.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new OperatorException(RESOURCE + " is missing from this build of Latimer");
      }
      return read(new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new OperatorException(RESOURCE + " cannot be read: " + e.getMessage(), e);
    }
  }

  static NgramCosts read(BufferedReader lines) throws IOException {
    Map<String, Map<NgramStrategy, NavigableMap<Long, Double>>> measured = new TreeMap<>();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      String[] fields = line.split("\t", -1);
      measured
          .computeIfAbsent(fields[0] + fields[1], k -> new EnumMap<>(NgramStrategy.class))
          .computeIfAbsent(NgramStrategy.valueOf(fields[2]), k -> new TreeMap<>())
          .put(Long.parseLong(fields[3]), Double.parseDouble(fields[4]));
    }
    return new NgramCosts(measured);
  }

  /**
   * The measured strategies, cheapest first.
   *
   * @param bytes size of the text
   */
  List<NgramStrategy> cheapestFirst(NgramUnit unit, int order, long bytes) {
    Map<NgramStrategy, NavigableMap<Long, Double>> known = measured.get(unit.toString() + order);
    if (known == null) {
      return List.of(NgramStrategy.HASH, NgramStrategy.SORT);
    }
    List<NgramStrategy> strategies = new ArrayList<>(known.keySet());
    strategies.sort(Comparator.comparingDouble(s -> milliseconds(known.get(s), bytes)));
    return strategies;
  }

  /** Interpolates; beyond the last measurement, time grows in proportion to the text. */
  private static double milliseconds(NavigableMap<Long, Double> times, long bytes) {
    Map.Entry<Long, Double> below = times.floorEntry(bytes);
    Map.Entry<Long, Double> above = times.ceilingEntry(bytes);
    if (below == null) {
      return above.getValue();
    }
    if (above == null) {
      return below.getValue() * bytes / below.getKey();
    }
    if (above.getKey().equals(below.getKey())) {
      return above.getValue();
    }
    double share = (double) (bytes - below.getKey()) / (above.getKey() - below.getKey());
    return below.getValue() + share * (above.getValue() - below.getValue());
  }
}
