package io.latimer.pipelines.config;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A mapping of keys.
 *
 * @param name its name in files
 * @param doc its meaning in sentences
 * @param keys its keys, in the order in which they are documented and written; names are unique
 */
public record ConfigSection(String name, String doc, List<ConfigKey<?>> keys) {
  public ConfigSection {
    keys = List.copyOf(keys);
    if (keys.stream().map(ConfigKey::name).distinct().count() < keys.size()) {
      throw new IllegalArgumentException("section " + name + " has a duplicate key");
    }
  }

  /** Creates a section. */
  public static ConfigSection of(String name, String doc, ConfigKey<?>... keys) {
    return new ConfigSection(name, doc, List.of(keys));
  }

  /** This section with more keys. */
  public ConfigSection with(ConfigKey<?>... more) {
    return new ConfigSection(
        name, doc, Stream.concat(keys.stream(), Stream.of(more)).collect(Collectors.toList()));
  }

  /** A builder for settings of this section, initialized with the defaults. */
  public Settings.Builder settings() {
    return new Settings.Builder(this);
  }

  /** Whether every key has a default, so that the section may be omitted. */
  public boolean optional() {
    return keys.stream().allMatch(key -> key.defaultValue().isPresent());
  }

  /** The names of the keys. */
  List<String> names() {
    return keys.stream().map(ConfigKey::name).collect(Collectors.toList());
  }
}
