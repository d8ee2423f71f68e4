package io.latimer.pipelines.flink.kafka;

import io.latimer.pipelines.job.ControlConfig;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.sink.Transactions;
import io.latimer.pipelines.source.SourceConfig;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/** Defaults for Kafka's clients, which the job file's {@code properties} override. */
public final class KafkaProperties {
  /**
   * Lets the operating system size the socket buffers, which it grows with the load. Kafka's
   * default of 64 KiB is less than two packets of a loopback device; if it overflows, the rest is
   * retransmitted 0.2 s later.
   */
  private static final String SYSTEM_BUFFER = "-1";

  /** Defaults of a sink. */
  static final Map<String, String> PRODUCER_DEFAULTS =
      Map.of(
          // a whole micro-batch is written at once, and Kafka's default of 16 KiB would split it
          // into hundreds of batches per partition, each with a cost here and in the broker
          ProducerConfig.BATCH_SIZE_CONFIG,
          String.valueOf(128 << 10),
          ProducerConfig.SEND_BUFFER_CONFIG,
          SYSTEM_BUFFER,
          Transactions.TIMEOUT_KEY,
          String.valueOf(Transactions.DEFAULT_TIMEOUT));

  /** Defaults of a source. */
  static final Map<String, String> CONSUMER_DEFAULTS =
      Map.of(
          // records of aborted transactions must not be translated
          ConsumerConfig.ISOLATION_LEVEL_CONFIG,
          "read_committed",
          ConsumerConfig.RECEIVE_BUFFER_CONFIG,
          SYSTEM_BUFFER);

  private KafkaProperties() {}

  /** The properties of a sink's producer: the defaults, overridden by the job file. */
  public static Properties producer(SinkConfig.Kafka sink) {
    return merged(PRODUCER_DEFAULTS, sink.properties().resolve());
  }

  /** The properties of the producer that sends commands to the job itself. */
  public static Properties producer(ControlConfig control) {
    Map<String, String> own = new LinkedHashMap<>(control.properties().resolve());
    own.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, control.bootstrapServers());
    return merged(Map.of(ProducerConfig.SEND_BUFFER_CONFIG, SYSTEM_BUFFER), own);
  }

  /** The properties of a source's consumer: the defaults, overridden by the job file. */
  public static Properties consumer(SourceConfig.Kafka source) {
    return merged(CONSUMER_DEFAULTS, source.properties().resolve());
  }

  private static Properties merged(Map<String, String> defaults, Map<String, String> own) {
    Properties properties = new Properties();
    properties.putAll(defaults);
    properties.putAll(own);
    return properties;
  }
}
