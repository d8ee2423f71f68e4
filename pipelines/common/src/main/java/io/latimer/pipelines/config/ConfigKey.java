package io.latimer.pipelines.config;

import java.util.Objects;
import java.util.Optional;

/**
 * One key of a configuration section. Keys are compared by identity.
 *
 * @param <T> the type of its value
 */
public final class ConfigKey<T> {
  private final String name;
  private final ConfigType<T> type;
  private final T defaultValue;
  private final T example;
  private final String doc;

  private ConfigKey(String name, ConfigType<T> type, T defaultValue, T example, String doc) {
    this.name = Objects.requireNonNull(name, "name");
    this.type = Objects.requireNonNull(type, "type");
    this.defaultValue = defaultValue;
    this.example = example;
    this.doc = Objects.requireNonNull(doc, "doc");
  }

  /** An optional key. */
  public static <T> ConfigKey<T> of(String name, ConfigType<T> type, T defaultValue, String doc) {
    return new ConfigKey<>(
        name, type, Objects.requireNonNull(defaultValue, "default"), defaultValue, doc);
  }

  /**
   * A required key.
   *
   * @param example its value in documentation
   */
  public static <T> ConfigKey<T> required(String name, ConfigType<T> type, T example, String doc) {
    return new ConfigKey<>(name, type, null, Objects.requireNonNull(example, "example"), doc);
  }

  /** Its name in files: lower-case words joined by hyphens. */
  public String name() {
    return name;
  }

  /** The type of its value. */
  public ConfigType<T> type() {
    return type;
  }

  /** Its meaning in sentences, including the unit if the type has none. */
  public String doc() {
    return doc;
  }

  /** Its value if omitted; empty for a required key. */
  public Optional<T> defaultValue() {
    return Optional.ofNullable(defaultValue);
  }

  /** The default, or an example value. */
  public T example() {
    return example;
  }

  @Override
  public String toString() {
    return name;
  }
}
