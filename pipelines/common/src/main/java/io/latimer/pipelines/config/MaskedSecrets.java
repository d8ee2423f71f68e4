package io.latimer.pipelines.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Masks secrets in settings for display. A literal password is replaced with {@value #MASK};
 * references to one stay: variables, {@code ${ENV:NAME}}, and references that Kafka's clients
 * resolve, such as {@code ${env:NAME}} or {@code ${file:PATH:NAME}}.
 */
final class MaskedSecrets {
  static final String MASK = "******";

  private static final String SECRET_WORDS =
      "(?i)password|passwd|secret|token|credential|api-?key|access[.-]?key|account[.]key"
          + "|service-?key|private[.-]?key|keystore[.]key|keystore[.]certificate|basic[.-]auth"
          + "|auth-params|http-headers";
  private static final Pattern SECRET_NAME = Pattern.compile(SECRET_WORDS);
  private static final Pattern VARIABLE =
      Pattern.compile("\\$\\{(?:ENV|env|file|directory):[^}]*}");

  /**
   * An assignment as in a JAAS configuration: a name, an equals sign, and a value that may be
   * quoted, with quotes in it escaped by a backslash.
   */
  private static final Pattern ASSIGNMENT =
      Pattern.compile(
          "([\\w.-]+)(\\s*=\\s*)"
              + "(\"(?:\\\\.|[^\"\\\\])*+\"?|'(?:\\\\.|[^'\\\\])*+'?|[^\\s\"';,]+)",
          Pattern.DOTALL);

  /** The user name and password in a URL. */
  private static final Pattern USER_INFO = Pattern.compile("(://[^/@:\\s]*:)([^/@\\s]+)(@)");

  /** The query of a URL; signed URLs contain a key there. */
  private static final Pattern QUERY = Pattern.compile("(https?://[^\\s?]*\\?)\\S+");

  private MaskedSecrets() {}

  /** Copies a tree of settings and masks everything below {@code properties} and {@code engine}. */
  static Map<String, Object> of(Map<String, Object> settings) {
    Map<String, Object> masked = new LinkedHashMap<>();
    settings.forEach(
        (name, value) ->
            masked.put(
                name,
                name.equals("properties") || name.equals("engine")
                    ? properties(value)
                    : tree(value)));
    return masked;
  }

  // the keys of trees of settings are names
  @SuppressWarnings("unchecked")
  private static Object tree(Object value) {
    if (value instanceof Map<?, ?> map) {
      return of((Map<String, Object>) map);
    }
    if (value instanceof List<?> list) {
      // texts in a list are records or names, not secrets
      return list.stream().map(item -> item instanceof String ? item : tree(item)).toList();
    }
    return value instanceof String text ? address(text) : value;
  }

  private static Object properties(Object value) {
    if (!(value instanceof Map<?, ?> map)) {
      return tree(value);
    }
    Map<String, Object> masked = new LinkedHashMap<>();
    map.forEach((name, of) -> masked.put((String) name, property((String) name, (String) of)));
    return masked;
  }

  private static String property(String name, String value) {
    if (SECRET_NAME.matcher(name).find()) {
      return unlessVariable(value);
    }
    Matcher assignment = ASSIGNMENT.matcher(value);
    String assigned =
        assignment.replaceAll(
            found ->
                Matcher.quoteReplacement(
                    found.group(1)
                        + found.group(2)
                        + (SECRET_NAME.matcher(found.group(1)).find()
                            ? quoted(found.group(3))
                            : found.group(3))));
    return address(assigned);
  }

  private static String address(String value) {
    String address = QUERY.matcher(value).replaceAll("$1" + Matcher.quoteReplacement(MASK));
    return USER_INFO
        .matcher(address)
        .replaceAll(
            found ->
                Matcher.quoteReplacement(
                    found.group(1) + unlessVariable(found.group(2)) + found.group(3)));
  }

  private static String quoted(String value) {
    char first = value.charAt(0);
    if (first != '"' && first != '\'') {
      return unlessVariable(value);
    }
    int last = value.length() - 1;
    boolean closed = last > 0 && value.charAt(last) == first;
    String end = closed ? String.valueOf(first) : "";
    return first + unlessVariable(value.substring(1, closed ? last : last + 1)) + end;
  }

  private static String unlessVariable(String value) {
    return value.isEmpty() || VARIABLE.matcher(value).matches() ? value : MASK;
  }
}
