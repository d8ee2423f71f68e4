package io.latimer.pipelines.config;

import java.util.function.Function;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** A value that is written as one scalar. */
final class ScalarType<T> extends ConfigType<T> {
  private final Function<String, T> parse;
  private final Function<T, Object> write;

  /** {@code parse} returns null or throws IllegalArgumentException for invalid text. */
  ScalarType(Class<T> raw, String expected, Function<String, T> parse, Function<T, Object> write) {
    super(raw, expected);
    this.parse = parse;
    this.write = write;
  }

  @Override
  T read(Node node, ReadContext at) {
    if (!(node instanceof ScalarNode scalar) || ReadContext.isNull(node)) {
      at.unexpected(node, expected());
      return null;
    }
    T value;
    try {
      value = parse.apply(scalar.getValue());
    } catch (IllegalArgumentException e) {
      value = null;
    }
    if (value == null) {
      at.unexpected(node, expected());
    }
    return value;
  }

  @Override
  Object write(T value) {
    return write.apply(value);
  }
}
