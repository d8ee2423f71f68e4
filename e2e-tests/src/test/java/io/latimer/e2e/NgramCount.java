package io.latimer.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.latimer.schemas.NgramTable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Expected tables of n-grams: a plain count in maps, independent of the job's code. */
final class NgramCount {
  private final String unit;
  private final int order;
  private final long size;
  private final long slide;

  /** By feed and the window's end, in milliseconds. */
  private final Map<String, Map<Long, Counts>> windows = new HashMap<>();

  /** By feed. */
  private final Map<String, Counts> totals = new HashMap<>();

  /** Counts and the number of their sentences. */
  static final class Counts {
    final Map<String, Long> ngrams = new TreeMap<>();
    long sentences;

    long total() {
      return ngrams.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  NgramCount(String unit, int order, long size, long slide) {
    this.unit = unit;
    this.order = order;
    this.size = size;
    this.slide = slide;
  }

  void add(String feed, long time, String text) {
    for (long start = Math.floorDiv(time, slide) * slide; start > time - size; start -= slide) {
      count(
          windows
              .computeIfAbsent(feed, f -> new TreeMap<>())
              .computeIfAbsent(start + size, e -> new Counts()),
          text);
    }
    count(totals.computeIfAbsent(feed, f -> new Counts()), text);
  }

  private void count(Counts counts, String text) {
    counts.sentences++;
    if (unit.equals("bytes")) {
      byte[] bytes = text.getBytes(UTF_8);
      for (int i = 0; i + order <= bytes.length; i++) {
        counts.ngrams.merge(escaped(bytes, i), 1L, Long::sum);
      }
      return;
    }
    String[] words = text.strip().split("\\s+");
    for (int i = 0; i + order <= words.length; i++) {
      String ngram = String.join(" ", Arrays.asList(words).subList(i, i + order));
      counts.ngrams.merge(ngram, 1L, Long::sum);
    }
  }

  /** The tests' texts are ASCII for byte n-grams, but for what is escaped: a backslash. */
  private String escaped(byte[] bytes, int at) {
    return new String(bytes, at, order, UTF_8).replace("\\", "\\\\");
  }

  /** The windows of a feed by their ends. */
  Map<Long, Counts> windows(String feed) {
    return windows.getOrDefault(feed, Map.of());
  }

  Counts total(String feed) {
    return totals.getOrDefault(feed, new Counts());
  }

  /** The n-grams of a table, most frequent first, ties by n-gram. */
  static Map<String, Long> of(NgramTable table) {
    Map<String, Long> counts = new LinkedHashMap<>();
    table.getTop().forEach(one -> counts.put(one.getNgram(), one.getCount()));
    return counts;
  }
}
