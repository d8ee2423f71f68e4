package io.latimer.benchmarks.gpu;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends sentences to a job's input topic at a constant rate, in a thread of its own, until it is
 * closed. The key of a record is the number of its sentence, from 0, in 4 bytes.
 */
final class PacedFeed implements AutoCloseable {
  private final KafkaProducer<byte[], byte[]> producer;
  private final List<String> lines;
  private final int partitions;
  private final double perSecond;

  /** In nanoseconds, by the numbers of sentences. */
  private final List<Long> due = new ArrayList<>();

  private final Thread sender = new Thread(this::send);
  private volatile boolean ready;
  private volatile boolean ended;

  /**
   * Begins with one sentence for each partition.
   *
   * @param producer closed by the caller
   * @param lines the sentences, sent in rotation
   * @param partitions of topic {@link JobFeed#IN}, filled in rotation
   */
  PacedFeed(
      KafkaProducer<byte[], byte[]> producer,
      List<String> lines,
      int partitions,
      double perSecond) {
    this.producer = producer;
    this.lines = lines;
    this.partitions = partitions;
    this.perSecond = perSecond;
    sender.start();
  }

  /** A producer for a feed and what else is sent meanwhile. */
  static KafkaProducer<byte[], byte[]> producer(String servers) {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", servers, "linger.ms", 1),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  /** A consumer that reads partitions from their beginning. */
  static KafkaConsumer<byte[], byte[]> consumer(String servers, List<TopicPartition> read) {
    KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", servers, "enable.auto.commit", false, "fetch.max.wait.ms", 5),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    consumer.assign(read);
    consumer.seekToBeginning(read);
    return consumer;
  }

  /** Sends the others, too: the job has begun to work, so none waits for that. */
  void ready() {
    ready = true;
  }

  /** When a sentence was due, in nanoseconds. */
  long due(int number) {
    synchronized (due) {
      return due.get(number);
    }
  }

  private void send() {
    long start = System.nanoTime();
    for (int i = 0; !ended; i++) {
      while (i == partitions && !ready && !ended) {
        LockSupport.parkNanos(1_000_000);
        start = System.nanoTime();
      }
      long at = start + (long) (i / perSecond * 1e9);
      while (System.nanoTime() < at && !ended) {
        LockSupport.parkNanos(50_000);
      }
      synchronized (due) {
        due.add(at);
      }
      byte[] key = ByteBuffer.allocate(4).putInt(i).array();
      byte[] text = lines.get(i % lines.size()).getBytes(StandardCharsets.UTF_8);
      Future<?> unused = producer.send(new ProducerRecord<>(JobFeed.IN, i % partitions, key, text));
    }
  }

  /** Ends the thread, and waits for it. */
  @Override
  public void close() {
    ended = true;
    try {
      sender.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
