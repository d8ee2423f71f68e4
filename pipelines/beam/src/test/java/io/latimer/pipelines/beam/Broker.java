package io.latimer.pipelines.beam;

import io.latimer.kafka.EmbeddedKafka;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A broker in a process with its own class path, and topics with two partitions. */
final class Broker implements AutoCloseable {
  private static final int PARTITIONS = 2;
  private static final Duration POLL = Duration.ofMillis(100);

  private final EmbeddedKafka kafka;

  private Broker(EmbeddedKafka kafka) {
    this.kafka = kafka;
  }

  static Broker start(String... topics) throws IOException {
    Path module = Path.of(System.getProperty("latimer.root")).resolve("embedded-kafka/target");
    String libraries = Files.readString(module.resolve("broker-classpath")).strip();
    Broker broker =
        new Broker(EmbeddedKafka.startApart(module.resolve("classes") + ":" + libraries));
    for (String topic : topics) {
      // the times of records are those of 1970
      broker.kafka.createTopic(topic, PARTITIONS, Map.of("retention.ms", "-1"));
    }
    return broker;
  }

  String servers() {
    return kafka.bootstrapServers();
  }

  KafkaProducer<byte[], byte[]> producer() {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", servers()),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  /**
   * Sends texts with their numbers as keys and as headers, and as times in seconds; each has a
   * header without a value, too.
   */
  void send(String topic, List<String> texts) throws Exception {
    send(topic, texts, 0);
  }

  /** The same with numbers from another one on. */
  void send(String topic, List<String> texts, int first) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = producer()) {
      for (int i = first; i < first + texts.size(); i++) {
        byte[] key = Integer.toString(i).getBytes(StandardCharsets.UTF_8);
        byte[] value = texts.get(i - first).getBytes(StandardCharsets.UTF_8);
        ProducerRecord<byte[], byte[]> record =
            new ProducerRecord<>(topic, i % PARTITIONS, 1000L * i, key, value);
        record.headers().add("number", key).add("nothing", null);
        Future<?> unused = producer.send(record);
      }
    }
  }

  /** Sends a text with its time, in milliseconds since 1970, and waits until it is there. */
  void send(String topic, int partition, long time, String text) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = producer()) {
      byte[] value = text.getBytes(StandardCharsets.UTF_8);
      producer.send(new ProducerRecord<>(topic, partition, time, null, value)).get();
    }
  }

  /** Sends a text to each partition in a transaction, which is aborted. */
  void sendAborted(String topic, String text) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", servers(), "transactional.id", "aborted"),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      for (int i = 0; i < PARTITIONS; i++) {
        byte[] value = text.getBytes(StandardCharsets.UTF_8);
        producer.send(new ProducerRecord<>(topic, i, null, value)).get();
      }
      producer.abortTransaction();
    }
  }

  /**
   * Reads a topic from its start until what was read is enough.
   *
   * @throws AssertionError if it is not enough within a minute and a half
   */
  List<ConsumerRecord<byte[], byte[]>> read(
      String topic, Predicate<List<ConsumerRecord<byte[], byte[]>>> isEnough) {
    List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", servers()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions = new ArrayList<>();
      for (int i = 0; i < PARTITIONS; i++) {
        partitions.add(new TopicPartition(topic, i));
      }
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      long deadline = System.nanoTime() + Duration.ofSeconds(90).toNanos();
      while (!isEnough.test(all)) {
        if (System.nanoTime() > deadline) {
          throw new AssertionError("only " + all.size() + " records arrived in " + topic);
        }
        consumer.poll(POLL).forEach(all::add);
      }
    }
    return all;
  }

  @Override
  public void close() {
    kafka.close();
  }
}
