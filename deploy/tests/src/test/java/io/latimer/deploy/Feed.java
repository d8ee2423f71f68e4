package io.latimer.deploy;

import io.latimer.kafka.EmbeddedKafka;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** The topics of Compose's job on a broker of a test's own. */
final class Feed implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration POLL = Duration.ofMillis(200);
  private static final String INPUT = "sentences.en";
  private static final String OUTPUT = "sentences.de";
  private static final int PARTITIONS = 4;

  private final EmbeddedKafka broker;

  private Feed(EmbeddedKafka broker) {
    this.broker = broker;
  }

  static Feed open() throws Exception {
    EmbeddedKafka broker = EmbeddedKafka.start();
    broker.createTopic(INPUT, PARTITIONS);
    broker.createTopic(OUTPUT, PARTITIONS);
    for (String topic : List.of("sentences.dead-letters", "latimer.control", "latimer.status")) {
      broker.createTopic(topic, 1);
    }
    return new Feed(broker);
  }

  String servers() {
    return broker.bootstrapServers();
  }

  void send(List<String> lines) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", servers()),
            new StringSerializer(),
            new StringSerializer())) {
      List<Future<?>> sent = new ArrayList<>();
      for (int i = 0; i < lines.size(); i++) {
        sent.add(producer.send(new ProducerRecord<>(INPUT, i % PARTITIONS, null, lines.get(i))));
      }
      for (Future<?> one : sent) {
        one.get();
      }
    }
  }

  /** Committed translations since the beginning, once there are as many, or after a timeout. */
  List<String> await(int count, Container.Running... watched) throws Exception {
    List<String> texts = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", servers(), "isolation.level", "read_committed"),
            new StringDeserializer(),
            new StringDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(OUTPUT).stream()
              .map(one -> new TopicPartition(OUTPUT, one.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      long end = System.nanoTime() + PATIENCE.toNanos();
      while (texts.size() < count && System.nanoTime() < end) {
        for (Container.Running one : watched) {
          one.requireAlive();
        }
        consumer.poll(POLL).forEach(record -> texts.add(record.value()));
      }
      // none comes twice
      consumer.poll(POLL).forEach(record -> texts.add(record.value()));
    }
    return texts;
  }

  @Override
  public void close() {
    broker.close();
  }
}
