package io.latimer.cli.command;

import io.latimer.operators.util.NearestName;
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

/** Suggests what a mistyped command or option may have meant. */
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

  /** The possible names in this place, and how to write them. */
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
    candidates.keySet().forEach(name -> distances.put(name, NearestName.edits(typed, name)));
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
}
