package io.latimer.e2e.chaos;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads committed records in a thread, and notes in the ledger when it saw each. */
final class CommittedReader implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final String deadLetters;
  private final Ledger ledger;
  private final List<TopicPartition> partitions;
  private final AtomicReference<Exception> failure = new AtomicReference<>();
  private final CompletableFuture<Void> reading;
  private volatile Duration pause = Duration.ZERO;
  private volatile boolean running = true;
  private volatile boolean atEndAsked;
  private volatile boolean atEnd;

  CommittedReader(String bootstrapServers, List<String> topics, String deadLetters, Ledger ledger) {
    this.deadLetters = deadLetters;
    this.ledger = ledger;
    consumer = consumer(bootstrapServers);
    partitions = assignAll(consumer, topics);
    reading =
        CompletableFuture.runAsync(
            this::run,
            work -> {
              Thread thread = new Thread(work, "committed-reader");
              thread.setDaemon(true);
              thread.start();
            });
  }

  /** A consumer of committed records. */
  static KafkaConsumer<byte[], byte[]> consumer(String bootstrapServers) {
    return new KafkaConsumer<>(
        Map.of(
            "bootstrap.servers",
            bootstrapServers,
            "isolation.level",
            "read_committed",
            "enable.auto.commit",
            "false",
            "max.poll.records",
            "5000",
            "reconnect.backoff.max.ms",
            "500"),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  /** Assigns all partitions of topics to a consumer, from their beginnings. */
  static List<TopicPartition> assignAll(
      KafkaConsumer<byte[], byte[]> consumer, List<String> topics) {
    List<TopicPartition> all = new ArrayList<>();
    for (String topic : topics) {
      consumer
          .partitionsFor(topic)
          .forEach(info -> all.add(new TopicPartition(topic, info.partition())));
    }
    consumer.assign(all);
    consumer.seekToBeginning(all);
    return all;
  }

  private void run() {
    try {
      while (running) {
        Duration wait = pause;
        if (!wait.isZero()) {
          Thread.sleep(wait.toMillis());
        }
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          int id = Integer.parseInt(new String(record.key(), StandardCharsets.UTF_8));
          ledger.see(
              id,
              record.topic().equals(deadLetters),
              record.topic() + "-" + record.partition() + "@" + record.offset());
        }
        if (atEndAsked) {
          Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
          atEnd = partitions.stream().allMatch(p -> consumer.position(p) >= ends.get(p));
        }
      }
    } catch (Exception e) {
      failure.set(e);
    } finally {
      consumer.close();
    }
  }

  /** Makes it wait so long before each poll; zero for a reader at full speed. */
  void slow(Duration wait) {
    pause = wait;
  }

  /** Whether it has read everything that is committed; to be called once nothing is written. */
  boolean isAtEnd() {
    requireWell();
    atEndAsked = true;
    return atEnd;
  }

  /** Fails if it has failed. */
  void requireWell() {
    if (failure.get() != null) {
      throw new IllegalStateException("the reader failed", failure.get());
    }
  }

  @Override
  public void close() {
    running = false;
    reading.join();
  }
}
