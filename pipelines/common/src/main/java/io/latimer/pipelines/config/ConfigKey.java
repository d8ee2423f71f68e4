package io.latimer.pipelines.config;

import java.util.Objects;
import java.util.Optional;

/**
 * One key of a configuration section. Two keys are the same only if they are the same object.
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

  /** A key that may be left out. */
  public static <T> ConfigKey<T> of(String name, ConfigType<T> type, T defaultValue, String doc) {
    return new ConfigKey<>(
        name, type, Objects.requireNonNull(defaultValue, "default"), defaultValue, doc);
  }

  /**
   * A key that must be given.
   *
   * @param example stands for it in documentation
   */
  public static <T> ConfigKey<T> required(String name, ConfigType<T> type, T example, String doc) {
    return new ConfigKey<>(name, type, null, Objects.requireNonNull(example, "example"), doc);
  }

  /** Its name in files: lower-case words with hyphens. */
  public String name() {
    return name;
  }

  /** What its value may be. */
  public ConfigType<T> type() {
    return type;
  }

  /** What it means, in sentences; the unit too where its type does not give one. */
  public String doc() {
    return doc;
  }

  /** What it is where a file leaves it out; empty for a key that must be given. */
  public Optional<T> defaultValue() {
    return Optional.ofNullable(defaultValue);
  }

  /** The default, or a value that shows what is meant. */
  public T example() {
    return example;
  }

  @Override
  public String toString() {
    return name;
  }
}
