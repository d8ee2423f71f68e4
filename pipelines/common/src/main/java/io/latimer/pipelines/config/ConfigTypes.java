package io.latimer.pipelines.config;

import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** The types of configuration values. */
public final class ConfigTypes {
  private static final Pattern URI_SCHEME = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]+:.*");
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,6}) ?([KMGT]iB)");
  private static final Pattern DURATION = Pattern.compile("([0-9]{1,9}) ?(ms|s|min|h|d)");

  private ConfigTypes() {}

  /** Any text, including the empty text. */
  public static ConfigType<String> text() {
    return text("text", text -> true);
  }

  /** Text with at least one character. */
  public static ConfigType<String> name() {
    return text("non-empty text", text -> !text.isBlank());
  }

  /** A name that file systems and metrics accept unchanged: up to 64 characters, or empty. */
  public static ConfigType<String> label() {
    return text("letters, digits, - and _, or empty", text -> text.matches("[A-Za-z0-9_-]{0,64}"));
  }

  /** Text that satisfies a predicate. */
  public static ConfigType<String> text(String expected, Predicate<String> isValid) {
    return new ScalarType<>(
        String.class, expected, text -> isValid.test(text) ? text : null, text -> text);
  }

  /** A language tag by BCP 47, or empty. */
  public static ConfigType<String> language() {
    return text(
        "a BCP 47 tag such as de, or empty",
        text -> text.isEmpty() || text.matches("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*"));
  }

  /** A language by its BCP 47 tag, or as a translation model names it; may be empty. */
  public static ConfigType<String> modelLanguage() {
    return text(
        "a BCP 47 tag such as de, a model's name of a language such as deu_Latn, or empty",
        text -> text.isEmpty() || text.matches("[A-Za-z0-9_<>-]{2,40}"));
  }

  /** One of a few words: the constants of an enum in lower case with hyphens. */
  public static <E extends Enum<E>> ConfigType<E> word(Class<E> type) {
    return word(type, Arrays.asList(type.getEnumConstants()));
  }

  /** One of some constants of an enum, in lower case with hyphens. */
  public static <E extends Enum<E>> ConfigType<E> word(Class<E> type, List<E> constants) {
    String words = constants.stream().map(ConfigTypes::word).collect(Collectors.joining(", "));
    return new ScalarType<>(
        type,
        "one of " + words,
        text -> constants.stream().filter(e -> word(e).equals(text)).findFirst().orElse(null),
        ConfigTypes::word);
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** A whole number. */
  public static ConfigType<Integer> integer(int from, int to) {
    return new ScalarType<>(
        Integer.class,
        to == Integer.MAX_VALUE
            ? "a whole number, " + from + " or more"
            : "a whole number from " + from + " to " + to,
        text -> {
          int value = Integer.parseInt(text);
          return value >= from && value <= to ? value : null;
        },
        value -> value);
  }

  /**
   * A number.
   *
   * @param above exclusive lower bound
   * @param to inclusive upper bound
   */
  public static ConfigType<Double> numberAbove(double above, double to) {
    return number("above " + above + " and at most " + to, d -> d > above && d <= to);
  }

  /** A number in a range, bounds included. */
  public static ConfigType<Double> number(double from, double to) {
    return number("from " + from + " to " + to, d -> d >= from && d <= to);
  }

  private static ConfigType<Double> number(String range, Predicate<Double> holds) {
    return new ScalarType<>(
        Double.class,
        "a number " + range,
        text -> {
          double value = Double.parseDouble(text);
          return holds.test(value) ? value : null;
        },
        value -> value);
  }

  /** True or false. */
  public static ConfigType<Boolean> flag() {
    return new ScalarType<>(
        Boolean.class,
        "true or false",
        text ->
            switch (text) {
              case "true" -> Boolean.TRUE;
              case "false" -> Boolean.FALSE;
              default -> null;
            },
        value -> value);
  }

  /** A duration with a unit, from {@code least} to 365 days; 0 needs no unit. */
  public static ConfigType<Duration> duration(Duration least) {
    String range = least.isZero() ? "" : ", at least " + format(least);
    return new ScalarType<>(
        Duration.class,
        "a duration such as 20ms, 5s, 10min, 1h or 1d" + range,
        text -> {
          Duration value = parseDuration(text);
          boolean holds =
              value != null
                  && value.compareTo(least) >= 0
                  && value.compareTo(Duration.ofDays(365)) <= 0;
          return holds ? value : null;
        },
        ConfigTypes::format);
  }

  private static Duration parseDuration(String text) {
    if (text.equals("0")) {
      return Duration.ZERO;
    }
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      return null;
    }
    long amount = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(amount);
      case "s" -> Duration.ofSeconds(amount);
      case "min" -> Duration.ofMinutes(amount);
      case "h" -> Duration.ofHours(amount);
      default -> Duration.ofDays(amount);
    };
  }

  private static String format(Duration duration) {
    long millis = duration.toMillis();
    if (millis == 0) {
      return "0s";
    }
    if (millis % 1_000 != 0) {
      return millis + "ms";
    }
    long seconds = millis / 1_000;
    if (seconds % 60 != 0) {
      return seconds + "s";
    }
    return seconds % 3_600 == 0 ? seconds / 3_600 + "h" : seconds / 60 + "min";
  }

  /** A number of bytes with a unit, 1 KiB or more. */
  public static ConfigType<Long> size() {
    return new ScalarType<>(
        Long.class,
        "a size such as 500MiB, 50GiB or 1TiB",
        ConfigTypes::parseSize,
        ConfigTypes::formatSize);
  }

  private static Long parseSize(String text) {
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches()) {
      return null;
    }
    long amount = Long.parseLong(matcher.group(1));
    return amount == 0 ? null : amount << sizeShift(matcher.group(2));
  }

  private static int sizeShift(String unit) {
    return 10 * ("KMGT".indexOf(unit.charAt(0)) + 1);
  }

  private static String formatSize(long bytes) {
    for (String unit : new String[] {"TiB", "GiB", "MiB"}) {
      int shift = sizeShift(unit);
      if (bytes % (1L << shift) == 0) {
        return (bytes >> shift) + unit;
      }
    }
    return (bytes >> 10) + "KiB";
  }

  /**
   * A path. A relative one is relative to the folder of the file and becomes absolute when it is
   * read. A URI, such as {@code s3://bucket/folder}, is kept. May be empty if optional.
   */
  public static ConfigType<String> path(boolean optional) {
    return path("a path or a URI", optional, UnaryOperator.identity());
  }

  /**
   * A path on each machine, like {@link #path}; {@link #localFile} refuses URIs other than {@code
   * file:}.
   */
  public static ConfigType<String> localPath(boolean optional) {
    return path("a path or a file: URI", optional, UnaryOperator.identity());
  }

  /** Like {@link #localPath}, but the value is the path of the {@link #localFile}, or empty. */
  public static ConfigType<String> localFilePath(boolean optional) {
    return path(
        "a path or a file: URI",
        optional,
        path -> path.isEmpty() ? path : localFile(path).toString());
  }

  private static ConfigType<String> path(
      String what, boolean optional, UnaryOperator<String> convert) {
    String expected = what + (optional ? ", or empty" : "");
    return new ConfigType<>(String.class, expected) {
      @Override
      String read(Node node, ReadContext at) {
        if (!(node instanceof ScalarNode scalar)
            || ReadContext.isNull(node)
            || (scalar.getValue().isEmpty() && !optional)) {
          at.unexpected(node, expected());
          return null;
        }
        try {
          return convert.apply(absolute(scalar.getValue(), at.base()));
        } catch (InvalidPathException e) {
          at.problem(node, "not a path: " + e.getMessage());
        } catch (IllegalArgumentException e) {
          at.problem(node, e.getMessage());
        }
        return null;
      }

      @Override
      Object write(String value) {
        return value;
      }
    };
  }

  /** Whether a path, as read by {@link #path}, is a URI. */
  public static boolean isUri(String path) {
    return URI_SCHEME.matcher(path).matches();
  }

  private static String absolute(String text, Path base) {
    return text.isEmpty() || isUri(text)
        ? text
        : base.toAbsolutePath().resolve(text).normalize().toString();
  }

  /**
   * The local file that a path names.
   *
   * @param path as read by {@link #path}
   * @throws IllegalArgumentException if it is the URI of something other than a local file
   */
  public static Path localFile(String path) {
    if (!isUri(path)) {
      return Path.of(path);
    }
    URI uri = URI.create(path);
    if (!"file".equalsIgnoreCase(uri.getScheme()) || uri.getPath() == null) {
      throw new IllegalArgumentException(path + " is not a local file; give a path");
    }
    return Path.of(uri.getPath());
  }

  /** A list of text values; a single text is a list of one. */
  public static ConfigType<List<String>> texts() {
    ConfigType<List<String>> lists = list(text());
    return new ConfigType<>(List.class, "a list of text values") {
      @Override
      List<String> read(Node node, ReadContext at) {
        if (node instanceof ScalarNode scalar && !ReadContext.isNull(node)) {
          return List.of(scalar.getValue());
        }
        return lists.read(node, at);
      }

      @Override
      Object write(List<String> value) {
        return lists.write(value);
      }
    };
  }

  /** Names and values that are passed on unchanged. Messages never quote the values. */
  public static ConfigType<Map<String, String>> properties() {
    return new ConfigType<>(Map.class, "a mapping of names to text, numbers or booleans") {
      @Override
      Map<String, String> read(Node node, ReadContext at) {
        Map<String, String> properties = new LinkedHashMap<>();
        if (ReadContext.isNull(node)) {
          return properties;
        }
        if (!(node instanceof MappingNode mapping)) {
          at.problem(node, "expected " + expected());
          return null;
        }
        for (NodeTuple tuple : mapping.getValue()) {
          String name = SectionReader.keyName(tuple.getKeyNode(), at);
          if (name == null) {
            continue;
          }
          if (!(tuple.getValueNode() instanceof ScalarNode value) || ReadContext.isNull(value)) {
            at.child(name).problem(tuple.getValueNode(), "expected a text, number or boolean");
          } else if (properties.putIfAbsent(name, value.getValue()) != null) {
            at.child(name).problem(tuple.getKeyNode(), "duplicate key; remove one");
          }
        }
        return properties;
      }

      @Override
      Object write(Map<String, String> value) {
        return new LinkedHashMap<>(value);
      }
    };
  }

  /** A list. */
  public static <T> ConfigType<List<T>> list(ConfigType<T> items) {
    return new ConfigType<>(List.class, "a list, each item " + items.expected()) {
      @Override
      List<T> read(Node node, ReadContext at) {
        if (ReadContext.isNull(node)) {
          return List.of();
        }
        if (!(node instanceof SequenceNode sequence)) {
          at.unexpected(node, expected());
          return null;
        }
        List<T> values = new ArrayList<>();
        for (int i = 0; i < sequence.getValue().size(); i++) {
          T value = items.read(sequence.getValue().get(i), at.item(i));
          if (value != null) {
            values.add(value);
          }
        }
        return List.copyOf(values);
      }

      @Override
      Object write(List<T> values) {
        return values.stream().map(items::write).toList();
      }

      @Override
      public List<ConfigSection> sections() {
        return items.sections();
      }

      @Override
      public boolean isChoice() {
        return items.isChoice();
      }

      @Override
      public boolean isList() {
        return true;
      }
    };
  }

  /** A section within a section. */
  public static ConfigType<Settings> section(ConfigSection section) {
    return new ConfigType<>(Settings.class, "a mapping") {
      @Override
      Settings read(Node node, ReadContext at) {
        return SectionReader.read(section, node, at);
      }

      @Override
      Object write(Settings value) {
        return value.toYaml();
      }

      @Override
      public List<ConfigSection> sections() {
        return List.of(section);
      }
    };
  }

  /**
   * Exactly one of several sections: a mapping of its name to its keys, or only its name for the
   * defaults.
   */
  public static ConfigType<Choice> choice(List<ConfigSection> sections) {
    List<String> names = sections.stream().map(ConfigSection::name).toList();
    return new ConfigType<>(Choice.class, "one of " + String.join(", ", names)) {
      @Override
      Choice read(Node node, ReadContext at) {
        Node chosen = node;
        Node content = null;
        if (node instanceof MappingNode mapping) {
          if (mapping.getValue().size() != 1) {
            at.problem(
                node,
                "expected exactly "
                    + expected()
                    + ", found "
                    + mapping.getValue().size()
                    + " keys");
            return null;
          }
          chosen = mapping.getValue().get(0).getKeyNode();
          content = mapping.getValue().get(0).getValueNode();
        }
        if (!(chosen instanceof ScalarNode scalar) || ReadContext.isNull(chosen)) {
          at.unexpected(node, expected());
          return null;
        }
        int index = names.indexOf(scalar.getValue());
        if (index < 0) {
          at.problem(chosen, SectionReader.unknown(scalar.getValue(), names));
          return null;
        }
        Node keys = content == null ? SectionReader.empty(node) : content;
        Settings settings =
            SectionReader.read(sections.get(index), keys, at.child(names.get(index)));
        return settings == null ? null : new Choice(settings);
      }

      @Override
      Object write(Choice value) {
        return Map.of(value.kind(), value.settings().toYaml());
      }

      @Override
      public List<ConfigSection> sections() {
        return sections;
      }

      @Override
      public boolean isChoice() {
        return true;
      }
    };
  }
}
