package io.latimer.pipelines.config;

import java.util.List;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * The type of a value, which defines how it is read, written and described. See {@link
 * ConfigTypes}.
 *
 * @param <T> the value in Java
 */
public abstract class ConfigType<T> {
  private final Class<? super T> raw;
  private final String expected;

  /**
   * Creates a type.
   *
   * @param raw the class of its values
   * @param expected what a value must be: a noun and its range, such as "a whole number from 1 to
   *     64"
   */
  ConfigType(Class<? super T> raw, String expected) {
    this.raw = raw;
    this.expected = expected;
  }

  /** What a value must be, for messages and documentation. */
  public String expected() {
    return expected;
  }

  /**
   * Reads a value.
   *
   * @return null if it is invalid; then a problem was added to the context
   */
  abstract T read(Node node, ReadContext at);

  /** The value as YAML: text, numbers, booleans, lists and maps. */
  abstract Object write(T value);

  /** The sections that a value may consist of; empty for a plain value. */
  public List<ConfigSection> sections() {
    return List.of();
  }

  /** Whether a value is a choice of one of several sections. */
  public boolean isChoice() {
    return false;
  }

  /** Whether a value is a list of others. */
  public boolean isList() {
    return false;
  }

  // a value enters settings only through a key of its own type
  @SuppressWarnings("unchecked")
  T cast(Object value) {
    return (T) raw.cast(value);
  }
}
