package io.latimer.pipelines.flink;

import io.latimer.pipelines.client.JaasText;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigData;
import org.apache.kafka.common.config.provider.EnvVarConfigProvider;

/**
 * Environment variables for the quotation marks of a {@code sasl.jaas.config}: Kafka's own provider
 * puts a password there as it is, and one with a quotation mark or a backslash ends up as another.
 * Kafka's clients make one of this where {@code config.providers.NAME.class} names it.
 */
public final class JaasEnvConfigProvider extends EnvVarConfigProvider {
  /** Variables of this process. */
  public JaasEnvConfigProvider() {}

  /** Given variables. */
  JaasEnvConfigProvider(Map<String, String> environment) {
    super(environment);
  }

  @Override
  public ConfigData get(String path) {
    return quoted(super.get(path));
  }

  @Override
  public ConfigData get(String path, Set<String> names) {
    return quoted(super.get(path, names));
  }

  private static ConfigData quoted(ConfigData found) {
    Map<String, String> quoted = new HashMap<>(found.data());
    quoted.replaceAll((name, value) -> JaasText.quoted(value));
    return new ConfigData(quoted, found.ttl());
  }
}
