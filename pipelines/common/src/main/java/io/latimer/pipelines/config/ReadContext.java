package io.latimer.pipelines.config;

import java.nio.file.Path;
import java.util.List;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * A position in a file that is being read.
 *
 * @param base folder of the file, to which relative paths refer
 * @param path keys that lead there, such as {@code stages[0].translate.model}
 * @param problems collects the problems
 */
record ReadContext(Path base, String path, List<String> problems) {
  private static final int QUOTED = 60;

  ReadContext child(String name) {
    return new ReadContext(base, path.isEmpty() ? name : path + "." + name, problems);
  }

  ReadContext item(int index) {
    return new ReadContext(base, path + "[" + index + "]", problems);
  }

  /** Records that a value is not what its key requires. */
  void unexpected(Node node, String expected) {
    problem(node, "expected " + expected + ", found " + found(node));
  }

  void problem(Node node, String message) {
    String place = path.isEmpty() ? "the file" : path;
    problems.add("line " + line(node) + ": " + place + ": " + message);
  }

  /** The line of a node, counted from 1. */
  static int line(Node node) {
    return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
  }

  static boolean isNull(Node node) {
    return node.getTag().equals(Tag.NULL);
  }

  private static String found(Node node) {
    if (node instanceof MappingNode) {
      return "a mapping";
    }
    if (node instanceof SequenceNode) {
      return "a list";
    }
    String value = ((ScalarNode) node).getValue();
    if (value.isEmpty()) {
      return "nothing";
    }
    return '"' + (value.length() > QUOTED ? value.substring(0, QUOTED) + "..." : value) + '"';
  }
}
