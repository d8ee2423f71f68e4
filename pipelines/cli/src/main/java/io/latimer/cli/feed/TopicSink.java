package io.latimer.cli.feed;

import io.latimer.cli.command.CommandException;
import io.latimer.pipelines.client.ClientProperties;
import io.latimer.schemas.Header;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Sentence;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends sentences to a Kafka topic, as Avro in single-object encoding, keyed by id, so that all
 * sentences of one record go to the same partition.
 */
final class TopicSink implements FeedSink {
  private final String bootstrapServers;
  private final String topic;
  private final KafkaProducer<byte[], byte[]> producer;
  private final RecordCodec<Sentence> codec = RecordCodec.of(Sentence.class);
  private volatile Exception failure;

  TopicSink(String bootstrapServers, String topic, Map<String, String> properties) {
    this.bootstrapServers = bootstrapServers;
    this.topic = topic;
    Map<String, Object> all = new HashMap<>();
    all.put(ProducerConfig.LINGER_MS_CONFIG, 20);
    all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 30_000);
    all.putAll(ClientProperties.of(properties).resolve());
    all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    try {
      producer = new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    } catch (KafkaException e) {
      throw failed(e);
    }
  }

  @Override
  public void write(Sentence sentence) {
    check();
    RecordHeaders headers = new RecordHeaders();
    for (Header header : sentence.getHeaders()) {
      headers.add(header.getKey(), header.getValue() == null ? null : bytes(header.getValue()));
    }
    byte[] key = sentence.getId().getBytes(StandardCharsets.UTF_8);
    // Kafka accepts no times before 1970
    long time = Math.max(0, sentence.getEventTime().toEpochMilli());
    try {
      Future<RecordMetadata> sent =
          producer.send(
              new ProducerRecord<>(topic, null, time, key, codec.encode(sentence), headers),
              (metadata, error) -> {
                if (error != null) {
                  failure = error;
                }
              });
      if (sent.isDone()) { // if refused at once
        check();
      }
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      throw failed(e);
    }
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  @Override
  public void flush() {
    producer.flush();
    check();
  }

  private void check() {
    Exception error = failure;
    if (error != null) {
      throw failed(error);
    }
  }

  private CommandException failed(Exception error) {
    Throwable cause = error.getCause() == null ? error : error.getCause();
    return new CommandException(
        "sentences cannot be sent to topic "
            + topic
            + " at "
            + bootstrapServers
            + ": "
            + cause.getMessage()
            + "; check that Kafka runs there and that the topic exists",
        error);
  }

  @Override
  public void close() {
    producer.close();
  }
}
