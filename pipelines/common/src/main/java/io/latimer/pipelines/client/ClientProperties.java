package io.latimer.pipelines.client;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Properties of a client, such as Kafka's, as a job file has them. A value may hold {@code
 * ${ENV:NAME}}, in whose place the environment variable NAME is put when the client is made, so
 * that no secret needs to stand in a file. Values are never printed.
 */
public final class ClientProperties {
  /** No properties. */
  public static final ClientProperties NONE = new ClientProperties(Map.of());

  private static final Pattern VARIABLE = Pattern.compile("\\$\\{ENV:([^}]*)\\}");

  private final Map<String, String> unresolved;

  private ClientProperties(Map<String, String> unresolved) {
    this.unresolved = Collections.unmodifiableMap(new LinkedHashMap<>(unresolved));
  }

  /** Properties whose values are as a job file would have them. */
  public static ClientProperties of(Map<String, String> unresolved) {
    return new ClientProperties(unresolved);
  }

  /** The properties as they stand in the job file: for writing it, not for a client. */
  public Map<String, String> unresolved() {
    return unresolved;
  }

  /**
   * The properties for a client, with the values of environment variables of this process.
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
                + ", which is not set; set it where the job is started");
      }
      matcher.appendReplacement(resolved, Matcher.quoteReplacement(variable));
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

  /** The names alone: values may be secrets. */
  @Override
  public String toString() {
    return unresolved.keySet().toString();
  }
}
