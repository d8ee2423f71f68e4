package io.latimer.release.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The pages that each page links to: groups of Markdown files, in order.
 *
 * @param groups paths in the checkout by the heading of their group
 */
record Navigation(Map<String, List<String>> groups) {

  static Navigation read(Path file) throws IOException {
    LoadSettings settings =
        LoadSettings.builder().setLabel(file.toString()).setAllowDuplicateKeys(false).build();
    Map<?, ?> root = (Map<?, ?>) new Load(settings).loadFromString(Files.readString(file));
    Map<String, List<String>> groups = new LinkedHashMap<>();
    root.forEach(
        (heading, pages) ->
            groups.put(
                (String) heading, ((List<?>) pages).stream().map(page -> (String) page).toList()));
    return new Navigation(groups);
  }

  List<String> pages() {
    return groups.values().stream().flatMap(List::stream).collect(Collectors.toList());
  }
}
