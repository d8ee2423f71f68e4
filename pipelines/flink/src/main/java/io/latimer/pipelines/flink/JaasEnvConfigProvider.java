package io.latimer.pipelines.flink;

import io.latimer.pipelines.client.JaasText;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigData;
import org.apache.kafka.common.config.provider.EnvVarConfigProvider;

/**
 * Provides environment variables escaped for the quoted values of a {@code sasl.jaas.config}.
 * Kafka's own provider inserts a password as it is, and a quotation mark or backslash in it would
 * change it. Kafka's clients instantiate the class that {@code config.providers.NAME.class} names.
 */
public final class JaasEnvConfigProvider extends EnvVarConfigProvider {
  /** Provides the variables of this process. */
  public JaasEnvConfigProvider() {}

  /** Provides the given variables. */
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
