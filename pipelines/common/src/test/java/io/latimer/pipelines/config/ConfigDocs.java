package io.latimer.pipelines.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Generates documentation for a table of keys: Markdown tables, and a file with comments. */
public final class ConfigDocs {
  private static final int COMMENT_WIDTH = 90;
  private static final int PAGE_WIDTH = 120;

  private ConfigDocs() {}

  /** One table per section, followed by the tables of the sections within it; none is repeated. */
  public static String markdown(ConfigSection section) {
    StringBuilder text = new StringBuilder();
    table(section, "the file itself", new HashSet<>(), text);
    return text.toString();
  }

  private static void table(
      ConfigSection section, String path, Set<ConfigSection> shown, StringBuilder text) {
    if (!shown.add(section)) {
      return;
    }
    text.append("### ").append(path.equals("the file itself") ? "The file itself" : path);
    text.append("\n\n");
    wrap(section.doc(), "", PAGE_WIDTH).forEach(line -> text.append(line).append('\n'));
    text.append('\n');
    if (section.keys().isEmpty()) {
      text.append("No keys.\n\n");
    } else {
      text.append("| key | value | default | meaning |\n|---|---|---|---|\n");
    }
    for (ConfigKey<?> key : section.keys()) {
      text.append("| `").append(key.name()).append("` | ");
      text.append(cell(key.type().expected())).append(" | ");
      text.append(defaultValue(key)).append(" | ").append(cell(key.doc())).append(" |\n");
    }
    if (!section.keys().isEmpty()) {
      text.append('\n');
    }
    for (ConfigKey<?> key : section.keys()) {
      for (ConfigSection inner : key.type().sections()) {
        String kind = key.type().isChoice() ? ": " + inner.name() : "";
        table(inner, '`' + key.name() + kind + '`', shown, text);
      }
    }
  }

  private static <T> String defaultValue(ConfigKey<T> key) {
    if (key.defaultValue().isEmpty()) {
      return "required";
    }
    if (!key.type().sections().isEmpty() && !key.type().isChoice()) {
      return "see below";
    }
    return '`' + cell(ConfigFile.inline(brief(key.type().write(key.example())))) + '`';
  }

  private static String cell(String text) {
    return text.replace("|", "\\|");
  }

  /** Abbreviates a choice that has only defaults to its name. */
  private static Object brief(Object value) {
    if (value instanceof List<?> list) {
      return list.stream().map(ConfigDocs::brief).toList();
    }
    if (value instanceof Map<?, ?> map
        && map.size() == 1
        && map.values().iterator().next() instanceof Map) {
      return map.keySet().iterator().next();
    }
    return value;
  }

  /** A file with every key at its default or an example, with its meaning as a comment. */
  public static String yaml(ConfigSection section) {
    return String.join("\n", lines(section.settings(), section)) + "\n";
  }

  private static List<String> lines(Settings.Builder values, ConfigSection section) {
    List<String> lines = new ArrayList<>();
    for (ConfigKey<?> key : section.keys()) {
      lines.addAll(lines(values, key));
    }
    return lines;
  }

  private static <T> List<String> lines(Settings.Builder values, ConfigKey<T> key) {
    List<String> lines = new ArrayList<>(comment(key));
    T value = values.get(key).orElse(key.example());
    List<ConfigSection> sections = key.type().sections();
    if (sections.isEmpty()) {
      lines.add(key.name() + ": " + ConfigFile.inline(key.type().write(value)));
      return lines;
    }
    boolean none = value instanceof List<?> list && list.isEmpty();
    lines.add(key.name() + (none ? ": []" : ":"));
    if (!key.type().isChoice() && key.type().isList()) {
      // an example item, because the list is empty by default
      List<String> item = lines(sections.get(0).settings(), sections.get(0));
      lines.add("  # -");
      indent("  #   ", item, lines);
      return lines;
    }
    if (!key.type().isChoice()) {
      indent("  ", lines(sections.get(0).settings(), sections.get(0)), lines);
      return lines;
    }
    String item = key.type().isList() ? "- " : "";
    Optional<Settings> chosen = chosen(value);
    for (ConfigSection section : sections) {
      boolean active = chosen.isPresent() && section.equals(chosen.get().section());
      List<String> option = new ArrayList<>();
      comment(section.doc(), option);
      List<String> keys =
          lines(active ? Settings.Builder.of(chosen.get()) : section.settings(), section);
      option.add(item + section.name() + (keys.isEmpty() ? ": {}" : ":"));
      indent(item.isEmpty() ? "  " : "    ", keys, option);
      indent(active ? "  " : "  # ", option, lines);
    }
    return lines;
  }

  /** The settings of a choice, or of the first one in a list; empty for an empty list. */
  private static Optional<Settings> chosen(Object value) {
    if (value instanceof List<?> list) {
      return list.isEmpty() ? Optional.empty() : chosen(list.get(0));
    }
    return Optional.of(((Choice) value).settings());
  }

  private static List<String> comment(ConfigKey<?> key) {
    String what = key.type().sections().isEmpty() ? " Value: " + key.type().expected() + "." : "";
    List<String> lines = new ArrayList<>();
    lines.add("");
    comment(key.doc() + what, lines);
    return lines;
  }

  private static void comment(String text, List<String> lines) {
    lines.addAll(wrap(text.replace("`", ""), "# ", COMMENT_WIDTH));
  }

  /** Lines of at most {@code width} characters, unless a word is longer. */
  private static List<String> wrap(String text, String prefix, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder(prefix);
    for (String word : List.of(text.split(" ", -1))) {
      if (line.length() > prefix.length()) {
        if (line.length() + 1 + word.length() > width) {
          lines.add(line.toString());
          line = new StringBuilder(prefix);
        } else {
          line.append(' ');
        }
      }
      line.append(word);
    }
    lines.add(line.toString());
    return lines;
  }

  private static void indent(String by, List<String> from, List<String> to) {
    for (String line : from) {
      to.add(line.isEmpty() ? by.stripTrailing() : by + line);
    }
  }
}
