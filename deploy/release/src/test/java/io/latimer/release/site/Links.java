package io.latimer.release.site;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Follows the links between the pages of a site, without knowing how it was made. */
public final class Links {
  private static final Pattern LINK = Pattern.compile("(?:href|src)=\"([^\"]*)\"");

  private Links() {}

  public static List<Path> pages(Path site) throws IOException {
    try (Stream<Path> files = Files.walk(site)) {
      return files.filter(file -> file.toString().endsWith(".html")).sorted().toList();
    }
  }

  /** The links that lead nowhere, by page. */
  public static List<String> broken(Path site) throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages(site)) {
      Matcher link = LINK.matcher(Files.readString(page));
      while (link.find()) {
        String problem = problem(site, page, link.group(1).replace("&amp;", "&"));
        if (problem != null) {
          broken.add(site.relativize(page) + ": " + link.group(1) + problem);
        }
      }
    }
    return broken;
  }

  private static String problem(Path site, Path page, String link) throws IOException {
    if (link.matches("(?:https?|mailto):.*")) {
      return null;
    }
    int hash = link.indexOf('#');
    String path =
        URLDecoder.decode(hash < 0 ? link : link.substring(0, hash), StandardCharsets.UTF_8);
    Path file = path.isEmpty() ? page : page.resolveSibling(path).normalize();
    if (!file.startsWith(site) || !Files.isRegularFile(file)) {
      return " is not there";
    }
    String fragment =
        hash < 0 ? "" : URLDecoder.decode(link.substring(hash + 1), StandardCharsets.UTF_8);
    if (!fragment.isEmpty() && !Files.readString(file).contains(" id=\"" + fragment + "\"")) {
      return " has no such heading";
    }
    return null;
  }
}
