package io.latimer.pipelines.client;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Properties of a client, such as Kafka's, from a job file. {@code ${ENV:NAME}} in a value is
 * replaced with the environment variable NAME when the client is created, so that no secret needs
 * to be in a file. Within quotes in a {@code sasl.jaas.config}, quotation marks and backslashes of
 * the variable are escaped. Values are never printed.
 */
public final class ClientProperties {
  /** No properties. */
  public static final ClientProperties NONE = new ClientProperties(Map.of());

  private static final Pattern VARIABLE = Pattern.compile("\\$\\{ENV:([^}]*)\\}");

  private final Map<String, String> unresolved;

  private ClientProperties(Map<String, String> unresolved) {
    this.unresolved = Collections.unmodifiableMap(new LinkedHashMap<>(unresolved));
  }

  /** Properties with values as written in a job file. */
  public static ClientProperties of(Map<String, String> unresolved) {
    return new ClientProperties(unresolved);
  }

  /** The properties as written in the job file: for writing one, not for a client. */
  public Map<String, String> unresolved() {
    return unresolved;
  }

  /**
   * The properties for a client, with this process's environment variables substituted.
   *
   * @throws IllegalArgumentException if a variable is not set
   */
  public Map<String, String> resolve() {
    return resolve(System::getenv);
  }

  Map<String, String> resolve(UnaryOperator<String> environment) {
    Map<String, String> resolved = new LinkedHashMap<>();
    unresolved.forEach((name, value) -> resolved.put(name, resolve(name, value, environment)));
    return resolved;
  }

  private static String resolve(String name, String value, UnaryOperator<String> environment) {
    Matcher matcher = VARIABLE.matcher(value);
    StringBuilder resolved = new StringBuilder();
    while (matcher.find()) {
      String variable = environment.apply(matcher.group(1));
      if (variable == null) {
        throw new IllegalArgumentException(
            "property "
                + name
                + " refers to the environment variable "
                + matcher.group(1)
                + ", which is not set; set it in the environment of the process that starts the"
                + " job");
      }
      boolean quoted =
          JaasText.isJaas(name) && JaasText.endsInQuotes(value.substring(0, matcher.start()));
      matcher.appendReplacement(
          resolved, Matcher.quoteReplacement(quoted ? JaasText.quoted(variable) : variable));
    }
    return matcher.appendTail(resolved).toString();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ClientProperties that && unresolved.equals(that.unresolved);
  }

  @Override
  public int hashCode() {
    return unresolved.hashCode();
  }

  /** Shows only the names, because values may be secrets. */
  @Override
  public String toString() {
    return unresolved.keySet().toString();
  }
}
