package io.latimer.pipelines.flink;

import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.source.SourceConfig;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/** What Kafka's clients are told where the job file's {@code properties} do not say. */
final class KafkaProperties {
  /**
   * The operating system chooses the size of a socket's buffer, which grows with what comes.
   * Kafka's own 64 KiB are less than two packets of a loopback device: where they overflow, the
   * rest comes a fifth of a second later.
   */
  private static final String SYSTEM_BUFFER = "-1";

  /** Those of a sink. */
  static final Map<String, String> PRODUCER_DEFAULTS =
      Map.of(
          // a micro-batch comes out of a stage all at once, and Kafka's own 16 KiB would cut it
          // into hundreds of pieces for a partition, each with its costs here and for the broker
          ProducerConfig.BATCH_SIZE_CONFIG,
          String.valueOf(128 << 10),
          ProducerConfig.SEND_BUFFER_CONFIG,
          SYSTEM_BUFFER,
          // a job that stays away for longer loses what it had not committed; the default of
          // Kafka's brokers allows no more
          ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
          "900000");

  /** Those of a source. */
  static final Map<String, String> CONSUMER_DEFAULTS =
      Map.of(
          // what another job wrote and took back must not be translated
          ConsumerConfig.ISOLATION_LEVEL_CONFIG,
          "read_committed",
          ConsumerConfig.RECEIVE_BUFFER_CONFIG,
          SYSTEM_BUFFER);

  private KafkaProperties() {}

  /** The properties of a sink's producer: the defaults, and over them what the job file says. */
  static Properties producer(SinkConfig.Kafka sink) {
    return merged(PRODUCER_DEFAULTS, sink.properties().resolve());
  }

  /** The properties of a source's consumer: the defaults, and over them what the job file says. */
  static Properties consumer(SourceConfig.Kafka source) {
    return merged(CONSUMER_DEFAULTS, source.properties().resolve());
  }

  private static Properties merged(Map<String, String> defaults, Map<String, String> own) {
    Properties properties = new Properties();
    properties.putAll(defaults);
    properties.putAll(own);
    return properties;
  }
}
