package io.latimer.pipelines.client;

/**
 * Text in Kafka's {@code sasl.jaas.config}. Kafka reads it with a {@link java.io.StreamTokenizer}:
 * a quotation mark ends a quoted string, and a backslash begins an escape.
 */
public final class JaasText {
  private static final String PROPERTY = "sasl.jaas.config";

  private JaasText() {}

  /**
   * Whether a property is a JAAS configuration; brokers prefix its name with that of a listener.
   */
  static boolean isJaas(String property) {
    return property.endsWith(PROPERTY);
  }

  /**
   * Whether a text ends within quotes.
   *
   * @param before the beginning of a property's value
   */
  static boolean endsInQuotes(CharSequence before) {
    char quote = 0;
    for (int i = 0; i < before.length(); i++) {
      char c = before.charAt(i);
      if (quote == 0) {
        quote = c == '"' || c == '\'' ? c : 0;
      } else if (c == '\\') {
        i++;
      } else if (c == quote) {
        quote = 0;
      }
    }
    return quote != 0;
  }

  /** Escapes a value for use in single or double quotes. */
  public static String quoted(String value) {
    StringBuilder quoted = new StringBuilder();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '\\', '"', '\'' -> quoted.append('\\').append(c);
        case '\n' -> quoted.append("\\n");
        case '\r' -> quoted.append("\\r");
        default -> quoted.append(c);
      }
    }
    return quoted.toString();
  }
}
