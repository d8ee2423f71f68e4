package io.latimer.e2e;

import io.latimer.kafka.EmbeddedKafka;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Topics of a test's own on a real broker, which all tests of the JVM share: a broker takes seconds
 * to start.
 */
final class Topics implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  /** Started with the first test that has topics. It ends, and tidies up, when the JVM is gone. */
  private static final class Shared {
    static final EmbeddedKafka BROKER = start();

    private static EmbeddedKafka start() {
      try {
        return EmbeddedKafka.start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private final EmbeddedKafka broker = Shared.BROKER;
  private final List<String> names = new ArrayList<>();
  private final KafkaProducer<byte[], byte[]> producer;

  Topics() {
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers(), "linger.ms", "5"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  EmbeddedKafka broker() {
    return broker;
  }

  void create(String name, int partitions) throws Exception {
    create(name, partitions, Map.of());
  }

  void create(String name, int partitions, Map<String, String> settings) throws Exception {
    names.add(name);
    broker.createTopic(name, partitions, settings);
  }

  /** Sends lines to a topic, over its partitions in turn. */
  void send(String topic, int partitions, List<String> lines) throws Exception {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      byte[] line = lines.get(i).getBytes(StandardCharsets.UTF_8);
      records.add(new ProducerRecord<>(topic, i % partitions, null, line));
    }
    send(records);
  }

  void send(List<ProducerRecord<byte[], byte[]>> records) throws Exception {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    records.forEach(record -> sent.add(producer.send(record)));
    for (Future<RecordMetadata> one : sent) {
      one.get();
    }
  }

  /** Reads committed records of a topic until there are enough, or a timeout. */
  List<ConsumerRecord<byte[], byte[]>> await(String topic, int count) {
    return read(topic, count, PATIENCE);
  }

  /** Reads all records committed to a topic so far. */
  List<ConsumerRecord<byte[], byte[]>> readAll(String topic) {
    return read(topic, Integer.MAX_VALUE, PATIENCE);
  }

  private List<ConsumerRecord<byte[], byte[]>> read(String topic, int count, Duration patience) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                broker.bootstrapServers(),
                "isolation.level",
                "read_committed",
                "enable.auto.commit",
                "false"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(p -> new TopicPartition(topic, p.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      long end = System.nanoTime() + patience.toNanos();
      while (records.size() < count && System.nanoTime() < end) {
        consumer.poll(POLL).forEach(records::add);
        if (count == Integer.MAX_VALUE && atEnd(consumer, partitions)) {
          break;
        }
      }
    }
    return records;
  }

  private static boolean atEnd(
      KafkaConsumer<byte[], byte[]> consumer, List<TopicPartition> partitions) {
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    return partitions.stream().allMatch(p -> consumer.position(p) >= ends.get(p));
  }

  /** Removes the topics, so that the next test may have some of these names. */
  @Override
  public void close() {
    producer.close(Duration.ofSeconds(5));
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      admin.deleteTopics(names).all().get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException("cannot remove the topics " + names, e);
    }
  }
}
