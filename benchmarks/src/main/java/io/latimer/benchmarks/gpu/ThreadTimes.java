package io.latimer.benchmarks.gpu;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The core time of a process by groups of threads, whose names differ only in numbers, from Linux's
 * {@code /proc/PID/task/TID/stat}; elsewhere there are no groups. Threads that ended are missing.
 */
final class ThreadTimes {
  /** Microseconds per tick of the fields {@code utime} and {@code stime}: USER_HZ is 100. */
  private static final long TICK = 10_000;

  /** Fields of the line after the name's closing parenthesis, from 0. */
  private static final int USER = 11;

  private static final int SYSTEM = 12;

  private final Map<String, Long> micros;

  private ThreadTimes(Map<String, Long> micros) {
    this.micros = micros;
  }

  /** The times of a process from its start until now. */
  static ThreadTimes of(long pid) {
    Map<String, Long> micros = new TreeMap<>();
    Path tasks = Path.of("/proc", Long.toString(pid), "task");
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
      for (Path thread : threads) {
        add(thread.resolve("stat"), micros);
      }
    } catch (IOException e) {
      return new ThreadTimes(Map.of());
    }
    return new ThreadTimes(micros);
  }

  private static void add(Path stat, Map<String, Long> micros) {
    try {
      String line = Files.readString(stat, StandardCharsets.ISO_8859_1);
      int end = line.lastIndexOf(')');
      String[] fields = line.substring(end + 2).split(" ", -1);
      long ticks = Long.parseLong(fields[USER]) + Long.parseLong(fields[SYSTEM]);
      micros.merge(group(line.substring(line.indexOf('(') + 1, end)), TICK * ticks, Long::sum);
    } catch (IOException e) {
      // it has just ended
    }
  }

  private static String group(String name) {
    String group = name.replaceAll("[^A-Za-z]*[0-9].*", "").strip();
    return group.isEmpty() ? "unnamed" : group;
  }

  /**
   * The times since an earlier moment for each of a number of records, the largest first, those
   * below half a microsecond together.
   *
   * @return fields of a JSON object: groups of threads, microseconds
   */
  String json(ThreadTimes earlier, int records) {
    Map<String, Double> each = new TreeMap<>();
    micros.forEach(
        (group, sum) -> {
          double value = (sum - earlier.micros.getOrDefault(group, 0L)) / (double) records;
          each.merge(value < 0.5 ? "others" : group, value, Double::sum);
        });
    return each.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .map(e -> String.format(Locale.ROOT, "\"%s\": %.1f", e.getKey(), e.getValue()))
        .collect(Collectors.joining(", "));
  }
}
