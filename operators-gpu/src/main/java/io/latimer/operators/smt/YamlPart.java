package io.latimer.operators.smt;

import io.latimer.operators.OperatorException;
import io.latimer.operators.util.BoundedYaml;
import io.latimer.operators.util.NearestName;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * A value in a YAML file, and where it is. Errors name the file, the line and the value's path.
 *
 * @param path the keys that lead to it, such as {@code quality.bias}; empty for the whole file
 * @param name its last key; for the whole file its value
 */
record YamlPart(Path file, String path, Node name, Node value) {

  /** The whole file. */
  static YamlPart root(Path file, Node document) {
    return new YamlPart(file, "", document, document);
  }

  /**
   * The entries of a mapping by key, in their order.
   *
   * @param content what it maps, such as "features to weights"
   */
  Map<String, YamlPart> entries(String content) {
    if (!(value instanceof MappingNode mapping)) {
      throw wrong((path.isEmpty() ? "" : path + ": ") + "expected a mapping of " + content);
    }
    Map<String, YamlPart> entries = new LinkedHashMap<>();
    for (NodeTuple entry : mapping.getValue()) {
      if (!(entry.getKeyNode() instanceof ScalarNode key)) {
        throw new YamlPart(file, path, entry.getKeyNode(), value).wrong("expected a name as key");
      }
      String full = (path.isEmpty() ? "" : path + ".") + BoundedYaml.brief(key.getValue());
      YamlPart part = new YamlPart(file, full, key, entry.getValueNode());
      if (entries.put(key.getValue(), part) != null) {
        throw part.wrong(full + " is there twice; remove one");
      }
    }
    return entries;
  }

  /** A finite number. */
  double number() {
    String text = value instanceof ScalarNode scalar ? scalar.getValue() : "a list or a mapping";
    try {
      double number = Double.parseDouble(text);
      if (Double.isFinite(number)) {
        return number;
      }
    } catch (NumberFormatException e) {
      // the same as a number that is not finite
    }
    throw wrong(path + " must be a finite number, found " + BoundedYaml.brief(text));
  }

  /** The error that its key is not one of those that are known. */
  OperatorException unknown(String what, Collection<String> known) {
    String key = path.substring(path.lastIndexOf('.') + 1);
    return wrong(
        '"'
            + path
            + "\" is no "
            + what
            + "; "
            + NearestName.of(key, known)
                .map(near -> "did you mean \"" + near + "\"?")
                .orElse("expected one of " + String.join(", ", known)));
  }

  /** An error at its line. */
  OperatorException wrong(String what) {
    int line = name.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
    return new OperatorException(file + ", line " + line + ": " + what);
  }
}
