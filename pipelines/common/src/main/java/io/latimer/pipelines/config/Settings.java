package io.latimer.pipelines.config;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** The values of a section's keys; every key has one. Immutable. */
public final class Settings {
  private final ConfigSection section;
  private final Map<ConfigKey<?>, Object> values;
  private final Set<ConfigKey<?>> written;

  private Settings(
      ConfigSection section, Map<ConfigKey<?>, Object> values, Set<ConfigKey<?>> written) {
    this.section = section;
    this.values = values;
    this.written = written;
  }

  /** The section of the values. */
  public ConfigSection section() {
    return section;
  }

  /**
   * Returns the value of a key.
   *
   * @throws IllegalArgumentException if the section has no such key
   */
  public <T> T get(ConfigKey<T> key) {
    Object value = values.get(key);
    if (value == null) {
      throw new IllegalArgumentException(
          "section " + section.name() + " has no key \"" + key + "\"");
    }
    return key.type().cast(value);
  }

  /** Whether the section has a key. */
  public boolean has(ConfigKey<?> key) {
    return section.keys().contains(key);
  }

  /** A copy in which a key is given a value. */
  public <T> Settings with(ConfigKey<T> key, T value) {
    return Builder.of(this).set(key, value).build();
  }

  /** A copy in which a key is given a value that is made of its present one. */
  public <T> Settings map(ConfigKey<T> key, UnaryOperator<T> change) {
    return with(key, change.apply(get(key)));
  }

  /** Whether a key was given a value instead of its default. */
  public boolean isWritten(ConfigKey<?> key) {
    return written.contains(key);
  }

  /** The values as YAML, by key name, in the section's order. */
  public Map<String, Object> toYaml() {
    Map<String, Object> yaml = new LinkedHashMap<>();
    for (ConfigKey<?> key : section.keys()) {
      yaml.put(key.name(), written(key));
    }
    return yaml;
  }

  private <T> Object written(ConfigKey<T> key) {
    return key.type().write(get(key));
  }

  @Override
  public boolean equals(Object other) {
    // compares the written form, because a key's type need not define equality
    return other instanceof Settings that
        && section.equals(that.section)
        && toYaml().equals(that.toYaml());
  }

  @Override
  public int hashCode() {
    return toYaml().hashCode();
  }

  /** Omits values, which may be secrets. */
  @Override
  public String toString() {
    return section.name() + section.names();
  }

  /** Collects the values of a section. */
  public static final class Builder {
    private final ConfigSection section;
    private final Map<ConfigKey<?>, Object> values = new HashMap<>();
    private final Set<ConfigKey<?>> written = new HashSet<>();

    Builder(ConfigSection section) {
      this.section = section;
      for (ConfigKey<?> key : section.keys()) {
        key.defaultValue().ifPresent(value -> values.put(key, value));
      }
    }

    /**
     * Sets the value of a key.
     *
     * @throws IllegalArgumentException if the section has no such key
     */
    public <T> Builder set(ConfigKey<T> key, T value) {
      if (!section.keys().contains(key)) {
        throw new IllegalArgumentException(
            "section " + section.name() + " has no key \"" + key + "\"");
      }
      values.put(key, Objects.requireNonNull(value, key.name()));
      written.add(key);
      return this;
    }

    /** A builder initialized with settings. */
    static Builder of(Settings settings) {
      Builder builder = new Builder(settings.section);
      builder.values.putAll(settings.values);
      builder.written.addAll(settings.written);
      return builder;
    }

    <T> Optional<T> get(ConfigKey<T> key) {
      return Optional.ofNullable(values.get(key)).map(key.type()::cast);
    }

    boolean has(ConfigKey<?> key) {
      return values.containsKey(key);
    }

    /**
     * Builds the settings.
     *
     * @throws IllegalArgumentException if a required key has no value
     */
    public Settings build() {
      for (ConfigKey<?> key : section.keys()) {
        if (!has(key)) {
          throw new IllegalArgumentException(
              "section " + section.name() + " needs the key \"" + key + "\"");
        }
      }
      return new Settings(section, new HashMap<>(values), Set.copyOf(written));
    }
  }
}
