package io.latimer.pipelines.config;

import io.latimer.operators.util.NearestName;
import java.util.ArrayList;
import java.util.List;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** Reads the mapping of a section: its keys, those that are missing, unknown or there twice. */
final class SectionReader {
  private SectionReader() {}

  /** An empty mapping at the position of another node. */
  static MappingNode empty(Node at) {
    return new MappingNode(
        Tag.MAP, true, List.of(), FlowStyle.FLOW, at.getStartMark(), at.getEndMark());
  }

  /**
   * Reads a section.
   *
   * @return null if it is invalid; then problems were added to the context
   */
  static Settings read(ConfigSection section, Node node, ReadContext at) {
    Node keys = ReadContext.isNull(node) ? empty(node) : node;
    if (!(keys instanceof MappingNode mapping)) {
      at.unexpected(node, "a mapping (" + String.join(", ", section.names()) + ")");
      return null;
    }
    int before = at.problems().size();
    Settings.Builder settings = section.settings();
    List<String> seen = new ArrayList<>();
    for (NodeTuple tuple : mapping.getValue()) {
      String name = keyName(tuple.getKeyNode(), at);
      if (name == null) {
        continue;
      }
      int index = section.names().indexOf(name);
      if (index < 0) {
        at.child(name).problem(tuple.getKeyNode(), unknown(name, section.names()));
      } else if (seen.contains(name)) {
        at.child(name).problem(tuple.getKeyNode(), "duplicate key; remove one");
      } else {
        read(section.keys().get(index), tuple.getValueNode(), at.child(name), settings);
      }
      seen.add(name);
    }
    for (ConfigKey<?> key : section.keys()) {
      if (!settings.has(key) && !seen.contains(key.name())) {
        at.child(key.name()).problem(node, "required: expected " + key.type().expected());
      }
    }
    return at.problems().size() > before ? null : settings.build();
  }

  private static <T> void read(
      ConfigKey<T> key, Node node, ReadContext at, Settings.Builder settings) {
    T value = key.type().read(node, at);
    if (value != null) {
      settings.set(key, value);
    }
  }

  /** The name of a key; null if it is not plain text, which is added as a problem. */
  static String keyName(Node node, ReadContext at) {
    if (node instanceof ScalarNode scalar) {
      return scalar.getValue();
    }
    at.problem(node, "a key must be plain text");
    return null;
  }

  /** The problem of a name that is not one of those known. */
  static String unknown(String found, List<String> names) {
    String known = "is not a valid name here; valid names are " + String.join(", ", names);
    return NearestName.of(found, names)
        .map(name -> '"' + found + "\" is not a valid name here; did you mean \"" + name + "\"?")
        .orElse('"' + found + "\" " + known);
  }
}
