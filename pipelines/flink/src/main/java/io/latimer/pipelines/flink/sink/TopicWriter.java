package io.latimer.pipelines.flink.sink;

import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Pattern;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.connector.kafka.lineage.DefaultKafkaDatasetFacet;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetFacet;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetFacetProvider;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetIdentifier;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Serializes elements for one topic, which the connector must know to find open transactions there.
 */
abstract class TopicWriter<T>
    implements KafkaRecordSerializationSchema<T>, KafkaDatasetFacetProvider {
  private static final long serialVersionUID = 1L;

  final String topic;

  TopicWriter(String topic) {
    this.topic = topic;
  }

  /** Creates the encoders, which cannot be serialized. */
  abstract void open();

  abstract ProducerRecord<byte[], byte[]> record(T element);

  @Override
  public final void open(
      SerializationSchema.InitializationContext context, KafkaSinkContext sinkContext) {
    open();
  }

  @Override
  public final ProducerRecord<byte[], byte[]> serialize(
      T element, KafkaSinkContext context, Long timestamp) {
    return record(element);
  }

  @Override
  public final Optional<KafkaDatasetFacet> getKafkaDatasetFacet() {
    return Optional.of(new Facet(topic));
  }

  /** The topic in Flink's lineage, without client properties such as passwords. */
  static final class Facet extends DefaultKafkaDatasetFacet {
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
