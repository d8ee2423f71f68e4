package io.latimer.cli.command;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What somebody may have meant who mistyped a command or an option. */
public final class Suggestions {
  private static final int MOST = 3;

  private Suggestions() {}

  /** A question that names the nearest commands or options; empty if none is near. */
  public static String question(ParameterException error) {
    if (!(error instanceof UnmatchedArgumentException unmatched)
        || unmatched.getUnmatched().isEmpty()) {
      return "";
    }
    String typed = unmatched.getUnmatched().get(0).replaceFirst("=.*", "");
    List<String> near = nearest(typed, candidates(error.getCommandLine(), typed));
    return near.isEmpty()
        ? ""
        : near.stream().collect(Collectors.joining("' or '", "Did you mean '", "'?"));
  }

  /** What could stand in the place, and how to write it. */
  private static Map<String, String> candidates(CommandLine command, String typed) {
    CommandSpec spec = command.getCommandSpec();
    Map<String, String> candidates = new LinkedHashMap<>();
    if (typed.startsWith("-")) {
      spec.options().stream()
          .filter(option -> !option.hidden())
          .flatMap(option -> Stream.of(option.names()))
          .filter(name -> name.startsWith("--"))
          .forEach(name -> candidates.put(name, name));
    } else {
      spec.subcommands()
          .forEach((name, sub) -> candidates.put(name, sub.getCommandSpec().qualifiedName()));
    }
    return candidates;
  }

  private static List<String> nearest(String typed, Map<String, String> candidates) {
    Map<String, Integer> distances = new LinkedHashMap<>();
    candidates.keySet().forEach(name -> distances.put(name, distance(typed, name)));
    int least = distances.values().stream().min(Comparator.naturalOrder()).orElse(0);
    if (least > Math.max(1, typed.length() / 3)) {
      return List.of();
    }
    return distances.entrySet().stream()
        .filter(name -> name.getValue() == least)
        .limit(MOST)
        .map(name -> candidates.get(name.getKey()))
        .toList();
  }

  /**
   * How many letters must be inserted, deleted, replaced or exchanged with the next one: the
   * Damerau-Levenshtein distance, in the restricted form that edits no letter twice.
   */
  static int distance(String a, String b) {
    int[][] distance = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          distance[i][j] = i + j;
          continue;
        }
        int replaced = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        int least =
            Math.min(
                Math.min(distance[i - 1][j], distance[i][j - 1]) + 1,
                distance[i - 1][j - 1] + replaced);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          least = Math.min(least, distance[i - 2][j - 2] + 1);
        }
        distance[i][j] = least;
      }
    }
    return distance[a.length()][b.length()];
  }
}
