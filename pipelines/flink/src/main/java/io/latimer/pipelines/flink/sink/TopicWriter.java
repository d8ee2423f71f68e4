package io.latimer.pipelines.flink.sink;

import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Pattern;
import org.apache.flink.connector.kafka.lineage.DefaultKafkaDatasetFacet;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetFacet;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetFacetProvider;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetIdentifier;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * Serializes elements for one topic, which the connector must know to find open transactions there.
 */
interface TopicWriter<T> extends KafkaRecordSerializationSchema<T>, KafkaDatasetFacetProvider {

  /** The topic. */
  String topic();

  @Override
  default Optional<KafkaDatasetFacet> getKafkaDatasetFacet() {
    return Optional.of(new Facet(topic()));
  }

  /** The topic in Flink's lineage, without client properties such as passwords. */
  final class Facet extends DefaultKafkaDatasetFacet {
    private Facet(String topic) {
      super(new Topic(topic), new Properties());
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

  /**
   * The topic as a pattern, so that the connector looks up which topics match. A topic that does
   * not exist has no transactions, and its first record may create it, as with dead letters.
   */
  record Topic(String name) implements KafkaDatasetIdentifier {
    @Override
    public List<String> getTopics() {
      return null;
    }

    @Override
    public Pattern getTopicPattern() {
      return Pattern.compile(Pattern.quote(name));
    }

    @Override
    public String toLineageName() {
      return name;
    }
  }
}
