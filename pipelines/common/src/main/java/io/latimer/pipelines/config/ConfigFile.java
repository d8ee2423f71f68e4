package io.latimer.pipelines.config;

import io.latimer.operators.util.BoundedYaml;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** Settings as YAML text. Only text, numbers, booleans, lists and maps are constructed from it. */
public final class ConfigFile {
  /**
   * Limits for job files, which people write; a list source may make one long, with short lines.
   */
  private static final BoundedYaml YAML = new BoundedYaml(16 << 20, 2_000_000, 1 << 20);

  /** Maximum length of a displayed value; a list source may have many lines. */
  private static final int MAX_PROPERTY = 1000;

  private static final Pattern STEP_ENDS = Pattern.compile("]?[.\\[]|]$");
  private static final Pattern LINE_OF = Pattern.compile("^line [0-9]+: (the file: )?");
  private static final Pattern LINE = Pattern.compile("line ([0-9]+):.*", Pattern.DOTALL);

  private ConfigFile() {}

  /**
   * Reads a file's text.
   *
   * @param section what the file must contain
   * @param yaml its text
   * @param file its name in messages
   * @param base the folder that its relative paths refer to
   * @throws ConfigException if it is not YAML, or contains what the section does not allow
   */
  public static Settings read(ConfigSection section, String yaml, String file, Path base) {
    List<String> problems = new ArrayList<>();
    Settings settings = null;
    try {
      Optional<Node> root = YAML.compose(yaml, file);
      ReadContext context = new ReadContext(base, "", problems);
      if (root.isEmpty() || ReadContext.isNull(root.get())) {
        problems.add("line 1: the file is empty");
      } else {
        settings = SectionReader.read(section, root.get(), context);
      }
    } catch (BoundedYaml.InvalidYamlException e) {
      problems.add("line " + e.line() + ": not valid YAML: " + e.getMessage());
    }
    if (!problems.isEmpty()) {
      problems.sort(Comparator.comparingInt(ConfigFile::line));
      throw new ConfigException(file, problems);
    }
    return settings;
  }

  /**
   * Reads options: the keys of a section with text values; keys of nested sections are given by
   * path, such as {@code batch.max-records}.
   *
   * @param options by their names
   * @param name of the object they configure, for messages
   * @param base the folder that their relative paths refer to
   * @throws ConfigException if they are not what the section allows; the problems begin with the
   *     name of an option
   */
  public static Settings readOptions(
      ConfigSection section, Map<String, String> options, String name, Path base) {
    Map<String, Object> nested = new LinkedHashMap<>();
    List<String> problems = new ArrayList<>();
    options.forEach((path, value) -> nest(path, value, nested, problems));
    Settings settings = null;
    if (problems.isEmpty()) {
      // double-quoted, so that they are scalars whatever they contain
      String yaml = dump(nested, ScalarStyle.DOUBLE_QUOTED);
      ReadContext context = new ReadContext(base, "", problems);
      settings = SectionReader.read(section, YAML.compose(yaml, name).orElseThrow(), context);
      problems.replaceAll(problem -> LINE_OF.matcher(problem).replaceFirst(""));
    }
    if (!problems.isEmpty()) {
      throw new ConfigException(name, problems);
    }
    return settings;
  }

  private static void nest(
      String path, String value, Map<String, Object> into, List<String> problems) {
    Map<String, Object> at = into;
    String[] steps = path.split("\\.", -1);
    for (int i = 0; i < steps.length - 1; i++) {
      Object next = at.computeIfAbsent(steps[i], step -> new LinkedHashMap<String, Object>());
      if (!(next instanceof Map<?, ?>)) {
        problems.add(path + ": " + steps[i] + " has a value of its own; remove one of them");
        return;
      }
      @SuppressWarnings("unchecked") // only such maps are put in
      Map<String, Object> within = (Map<String, Object>) next;
      at = within;
    }
    if (at.putIfAbsent(steps[steps.length - 1], value) != null) {
      problems.add(path + ": has options of its own; remove them or this one");
    }
  }

  /**
   * The line of a key, or of the nearest enclosing section in the file.
   *
   * @param yaml text that {@link #read} accepted
   * @param path as problems name it, such as {@code stages[0].translate.model}
   */
  public static int lineOf(String yaml, String path) {
    Node at = YAML.compose(yaml, "").orElseThrow();
    int line = ReadContext.line(at);
    for (String step : STEP_ENDS.split(path, -1)) {
      Node next = null;
      if (at instanceof MappingNode mapping) {
        for (NodeTuple tuple : mapping.getValue()) {
          if (tuple.getKeyNode() instanceof ScalarNode key && key.getValue().equals(step)) {
            line = ReadContext.line(key);
            next = tuple.getValueNode();
          }
        }
      } else if (at instanceof SequenceNode sequence && step.matches("[0-9]+")) {
        next = sequence.getValue().get(Integer.parseInt(step));
        line = ReadContext.line(next);
      }
      if (next == null) {
        return line;
      }
      at = next;
    }
    return line;
  }

  private static int line(String problem) {
    Matcher matcher = LINE.matcher(problem);
    return matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
  }

  /** Writes all settings, including defaults, in the section's order; secrets in plain text. */
  public static String write(Settings settings) {
    return dump(settings.toYaml());
  }

  /** Writes all settings like {@link #write}, with passwords and other secrets masked. */
  public static String writeMasked(Settings settings) {
    return dump(MaskedSecrets.of(settings.toYaml()));
  }

  /**
   * All settings by their paths, such as {@code source.kafka.topics}, with secrets masked and long
   * values cut off.
   */
  public static Map<String, String> maskedProperties(Settings settings) {
    Map<String, String> properties = new LinkedHashMap<>();
    flatten("", MaskedSecrets.of(settings.toYaml()), properties);
    return properties;
  }

  private static void flatten(String path, Object value, Map<String, String> properties) {
    if (value instanceof Map<?, ?> map && !map.isEmpty()) {
      String prefix = path.isEmpty() ? "" : path + ".";
      map.forEach((name, of) -> flatten(prefix + name, of, properties));
    } else if (value instanceof List<?> list && list.stream().anyMatch(Map.class::isInstance)) {
      for (int i = 0; i < list.size(); i++) {
        flatten(path + "[" + i + "]", list.get(i), properties);
      }
    } else {
      String text = value instanceof String plain ? plain : inline(value);
      properties.put(
          path, text.length() > MAX_PROPERTY ? text.substring(0, MAX_PROPERTY) + "..." : text);
    }
  }

  /** One value as YAML on one line. */
  static String inline(Object value) {
    DumpSettings flow =
        DumpSettings.builder()
            .setDefaultFlowStyle(FlowStyle.FLOW)
            .setSplitLines(false)
            .setWidth(Integer.MAX_VALUE)
            .build();
    return new Dump(flow).dumpToString(value).strip();
  }

  private static String dump(Object value) {
    return dump(value, ScalarStyle.PLAIN);
  }

  private static String dump(Object value, ScalarStyle scalars) {
    DumpSettings block =
        DumpSettings.builder()
            .setDefaultScalarStyle(scalars)
            .setDefaultFlowStyle(FlowStyle.BLOCK)
            .setSplitLines(false)
            .setIndicatorIndent(2)
            .setIndentWithIndicator(true)
            .setIndent(2)
            .build();
    return new Dump(block).dumpToString(value);
  }
}
