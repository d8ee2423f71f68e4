package io.latimer.release;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Which licences a release may contain, and what is known of components whose POM does not say it
 * all: {@code licenses/policy.yaml}, which documents its keys.
 */
final class Policy {
  /** What a license text must repeat, where the jar itself does not. */
  record Text(String licence, String copyright) {}

  /** Native code in a jar. */
  record Native(String name, List<PathMatcher> files, Text text) {
    boolean covers(String file) {
      return matches(files, file);
    }
  }

  private static boolean matches(List<PathMatcher> globs, String file) {
    return globs.stream().anyMatch(glob -> glob.matches(Path.of(file)));
  }

  /** What is known of a component beyond its POM; empty lists and strings where nothing is. */
  record Entry(List<String> declared, Text text, List<Native> natives, List<PathMatcher> removed) {
    private static final Entry NONE = new Entry(List.of(), new Text("", ""), List.of(), List.of());

    boolean removes(String file) {
      return matches(removed, file);
    }
  }

  private static final Set<String> KEYS =
      Set.of("declared", "licence", "copyright", "native", "removed");
  private static final Set<String> NATIVE_KEYS = Set.of("name", "files", "licence", "copyright");

  private final Set<String> allowed;
  private final Map<String, Entry> entries;

  private Policy(Set<String> allowed, Map<String, Entry> entries) {
    this.allowed = allowed;
    this.entries = entries;
  }

  static Policy read(Path file) throws IOException {
    LoadSettings settings =
        LoadSettings.builder().setLabel(file.toString()).setAllowDuplicateKeys(false).build();
    Map<?, ?> root = (Map<?, ?>) new Load(settings).loadFromString(Files.readString(file));
    Map<String, Entry> entries = new LinkedHashMap<>();
    ((Map<?, ?>) root.get("components"))
        .forEach((id, value) -> entries.put((String) id, entry((String) id, (Map<?, ?>) value)));
    return new Policy(new LinkedHashSet<>(strings(root.get("allowed"))), entries);
  }

  private static Entry entry(String id, Map<?, ?> value) {
    requireKnown(id, value, KEYS);
    List<Native> natives = new ArrayList<>();
    if (value.get("native") instanceof List<?> items) {
      for (Object item : items) {
        Map<?, ?> map = (Map<?, ?>) item;
        requireKnown(id, map, NATIVE_KEYS);
        natives.add(new Native((String) map.get("name"), globs(map.get("files")), text(map)));
      }
    }
    return new Entry(
        strings(value.get("declared")), text(value), natives, globs(value.get("removed")));
  }

  private static List<PathMatcher> globs(Object value) {
    return strings(value).stream()
        .map(glob -> FileSystems.getDefault().getPathMatcher("glob:" + glob))
        .toList();
  }

  private static void requireKnown(String id, Map<?, ?> map, Set<String> known) {
    for (Object key : map.keySet()) {
      if (!known.contains((String) key)) {
        throw new ReleaseException("the policy's entry of " + id + " has an unknown key " + key);
      }
    }
  }

  private static Text text(Map<?, ?> map) {
    return new Text(string(map.get("licence")), string(map.get("copyright")).strip());
  }

  private static String string(Object value) {
    return value == null ? "" : (String) value;
  }

  private static List<String> strings(Object value) {
    return value == null ? List.of() : ((List<?>) value).stream().map(one -> (String) one).toList();
  }

  Set<String> allowed() {
    return allowed;
  }

  boolean allows(String licence) {
    return allowed.contains(licence);
  }

  /** What is known of a component; an entry without any content if it is not in the policy. */
  Entry of(Component component) {
    return entries.getOrDefault(component.id(), Entry.NONE);
  }

  /** If a release leaves a file of some component's jar away. */
  boolean removes(String file) {
    return entries.values().stream().anyMatch(entry -> entry.removes(file));
  }

  List<Native> natives(String id) {
    return entries.get(id).natives();
  }

  /** The components that have an entry. */
  Set<String> known() {
    return entries.keySet();
  }
}
