package io.latimer.pipelines.flink;

import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.apache.flink.connector.kafka.lineage.DefaultKafkaDatasetFacet;
import org.apache.flink.connector.kafka.lineage.DefaultKafkaDatasetIdentifier;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetFacet;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetFacetProvider;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerConfig;

/** Writes to one topic, which the connector must know to find open transactions there. */
interface TopicWriter<T> extends KafkaRecordSerializationSchema<T>, KafkaDatasetFacetProvider {

  /** The topic. */
  String topic();

  @Override
  default Optional<KafkaDatasetFacet> getKafkaDatasetFacet() {
    return Optional.of(new Facet(topic()));
  }

  /**
   * What the engine's lineage says of the topic: not the client's properties, such as passwords.
   */
  final class Facet extends DefaultKafkaDatasetFacet {
    private Facet(String topic) {
      super(DefaultKafkaDatasetIdentifier.ofTopics(List.of(topic)), new Properties());
    }

    @Override
    public void setProperties(Properties properties) {
      Properties servers = new Properties();
      servers.put(
          ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
          properties.get(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG));
      super.setProperties(servers);
    }
  }
}
