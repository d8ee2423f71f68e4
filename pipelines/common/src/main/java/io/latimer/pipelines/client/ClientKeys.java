package io.latimer.pipelines.client;

import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigTypes;

/** Definitions shared by the keys of Kafka sources and Kafka sinks. */
public final class ClientKeys {
  public static final ConfigKey<String> BOOTSTRAP_SERVERS =
      ConfigKey.of(
          "bootstrap-servers",
          ConfigTypes.name(),
          "localhost:9092",
          "Bootstrap brokers as host:port, separated by commas.");

  /** The documentation of a client's {@code properties}. */
  public static final String PROPERTIES =
      "Client properties, passed on unchanged, such as `security.protocol` and `sasl.jaas.config`."
          + " `${ENV:NAME}` in a value is replaced with the environment variable NAME of the"
          + " process that starts the job. Values are never printed.";

  private ClientKeys() {}
}
