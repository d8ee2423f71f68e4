package io.latimer.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a version is written besides the POMs, and the changelog's section of it. */
final class Versions {
  private static final String SNAPSHOT = "-SNAPSHOT";
  private static final Pattern CHART = Pattern.compile("(?m)^(version|appVersion): \"?([^\"\\s]+)");
  private static final Pattern ARGUMENT = Pattern.compile("(?m)^ARG (VERSION)=(\\S+)");
  private static final Pattern IMAGE = Pattern.compile("\\b(latimer):([0-9]\\S*?)-(?:cpu|gpu)\\b");
  private static final List<String> IMAGES =
      List.of("docker/compose.yaml", "docker/compose.gpu.yaml", "kubernetes", "README.md");

  private Versions() {}

  /** A version without {@code -SNAPSHOT}: the release that it leads to. */
  static String released(String version) {
    return version.endsWith(SNAPSHOT)
        ? version.substring(0, version.length() - SNAPSHOT.length())
        : version;
  }

  /** The places in a checkout that name another version than the POM. */
  static List<String> problems(Path root, String version) throws IOException {
    List<String> problems = new ArrayList<>();
    Path deploy = root.resolve("deploy");
    String released = released(version);
    compare(root, deploy.resolve("helm/latimer/Chart.yaml"), CHART, released, true, problems);
    compare(root, deploy.resolve("docker/Dockerfile"), ARGUMENT, version, true, problems);
    for (String place : IMAGES) {
      for (Path file : Archives.files(deploy.resolve(place))) {
        compare(root, file, IMAGE, released, false, problems);
      }
    }
    changelog(Files.readString(root.resolve("CHANGELOG.md")), version, problems);
    return problems;
  }

  private static void compare(
      Path root, Path file, Pattern place, String expected, boolean needed, List<String> problems)
      throws IOException {
    Matcher found = place.matcher(Files.readString(file));
    boolean any = false;
    while (found.find()) {
      any = true;
      if (!found.group(2).equals(expected)) {
        problems.add(
            "%s: %s is %s, expected %s"
                .formatted(root.relativize(file), found.group(1), found.group(2), expected));
      }
    }
    if (needed && !any) {
      problems.add(root.relativize(file) + " names no version");
    }
  }

  /** A release has a dated section of its own; a snapshot has one of what is unreleased. */
  static void changelog(String text, String version, List<String> problems) {
    boolean snapshot = version.endsWith(SNAPSHOT);
    String heading =
        snapshot
            ? "\\[?Unreleased\\]?"
            : "\\[?" + Pattern.quote(version) + "\\]? - \\d{4}-\\d{2}-\\d{2}";
    Matcher section = Pattern.compile("(?ms)^## " + heading + "$(.*?)(?=^## |\\z)").matcher(text);
    String expected = snapshot ? "## Unreleased" : "## " + version + " - YYYY-MM-DD";
    if (!section.find()) {
      problems.add("CHANGELOG.md has no section '" + expected + "'");
    } else if (!section.group(1).contains("\n- ")) {
      problems.add("CHANGELOG.md has nothing in its section '" + expected + "'");
    }
  }
}
