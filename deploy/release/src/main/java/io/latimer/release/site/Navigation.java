package io.latimer.release.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The pages that each page links to: groups of Markdown files, in order.
 *
 * @param groups paths in the checkout by the heading of their group
 */
record Navigation(Map<String, List<String>> groups) {

  /**
   * Reads the groups.
   *
   * @param root the checkout; an entry that ends with a slash stands for the pages of that folder
   */
  static Navigation read(Path root, Path file) throws IOException {
    LoadSettings settings =
        LoadSettings.builder().setLabel(file.toString()).setAllowDuplicateKeys(false).build();
    Map<?, ?> yaml = (Map<?, ?>) new Load(settings).loadFromString(Files.readString(file));
    Map<String, List<String>> groups = new LinkedHashMap<>();
    for (Map.Entry<?, ?> group : yaml.entrySet()) {
      List<String> pages = new ArrayList<>();
      for (Object entry : (List<?>) group.getValue()) {
        pages.addAll(pages(root, (String) entry));
      }
      groups.put((String) group.getKey(), pages);
    }
    return new Navigation(groups);
  }

  private static List<String> pages(Path root, String entry) throws IOException {
    if (!entry.endsWith("/")) {
      return List.of(entry);
    }
    try (Stream<Path> files = Files.list(root.resolve(entry))) {
      return files
          .map(file -> entry + file.getFileName())
          .filter(page -> page.endsWith(".md"))
          .sorted()
          .toList();
    }
  }

  List<String> pages() {
    return groups.values().stream().flatMap(List::stream).collect(Collectors.toList());
  }
}
