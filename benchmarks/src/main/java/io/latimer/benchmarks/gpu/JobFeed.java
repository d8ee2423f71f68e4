package io.latimer.benchmarks.gpu;

import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import io.latimer.schemas.Translation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends sentences to a job's topic and takes its translations from another. */
final class JobFeed implements AutoCloseable {
  static final String IN = "in";
  static final String OUT = "out";

  /** Threads that send: one alone does not keep up with a GPU. */
  private static final int SENDERS = 2;

  /** Every so manieth translation is compared. */
  private static final int COMPARED = 17;

  private static final long SILENCE_NANOS = Duration.ofSeconds(60).toNanos();
  private static final RecordCodec<Translation> TRANSLATIONS = RecordCodec.of(Translation.class);

  private final int partitions;
  private final List<String> lines;
  private final Map<String, String> expected;
  private final KafkaProducer<byte[], byte[]> producer;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private int runs;

  /**
   * What a run has shown.
   *
   * @param records translations received, as many as were sent
   * @param perSecond translations a second, from the first record sent to the last one received
   * @param p50Millis median time from sending a sentence to receiving its translation
   * @param p99Millis time that one of a hundred exceeds
   * @param compared translations that were compared with the operator's own
   * @param different those that were not the same
   */
  record Measured(
      int records,
      double perSecond,
      double p50Millis,
      double p99Millis,
      int compared,
      int different) {}

  /**
   * Connects to topics {@link #IN} and {@link #OUT}.
   *
   * @param servers host:port of the broker
   * @param partitions how many each topic has
   * @param lines the sentences, sent in turn
   * @param expected their translations
   */
  JobFeed(String servers, int partitions, List<String> lines, Map<String, String> expected) {
    this.partitions = partitions;
    this.lines = lines;
    this.expected = expected;
    producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                servers,
                "linger.ms",
                1,
                "batch.size",
                1 << 18,
                "buffer.memory",
                1L << 28,
                "send.buffer.bytes",
                -1),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", servers,
                "enable.auto.commit", false,
                "fetch.max.wait.ms", 5,
                "max.poll.records", 20_000,
                "receive.buffer.bytes", -1),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    List<TopicPartition> read =
        IntStream.range(0, partitions).mapToObj(i -> new TopicPartition(OUT, i)).toList();
    consumer.assign(read);
    consumer.seekToBeginning(read);
  }

  /**
   * Sends records and waits until all are translated.
   *
   * @param records how many
   * @param perSecond records to send a second; 0 sends as fast as they are taken
   * @throws IllegalStateException if there is nothing new for a minute
   */
  Measured run(int records, double perSecond) throws RecordFormatException, InterruptedException {
    int run = runs++;
    long[] sent = new long[records];
    long start = System.nanoTime();
    List<Thread> senders = new ArrayList<>();
    for (int i = 0; i < SENDERS; i++) {
      int first = i;
      Thread sender = new Thread(() -> send(run, first, sent, start, perSecond));
      sender.start();
      senders.add(sender);
    }
    double[] millis = new double[records];
    int received = 0;
    int compared = 0;
    int different = 0;
    long last = start;
    while (received < records) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
        ByteBuffer key = ByteBuffer.wrap(record.key());
        if (key.getInt() != run) {
          throw new IllegalStateException("a record of an earlier run came twice");
        }
        int place = key.getInt();
        last = System.nanoTime();
        millis[received++] = (last - sent[place]) / 1e6;
        if (received % COMPARED == 0) {
          compared++;
          String text = TRANSLATIONS.decode(record.value()).getText();
          different += text.equals(expected.get(line(place))) ? 0 : 1;
        }
      }
      if (System.nanoTime() - last > SILENCE_NANOS) {
        throw new IllegalStateException(
            "only " + received + " of " + records + " records were translated");
      }
    }
    for (Thread sender : senders) {
      sender.join();
    }
    Arrays.sort(millis);
    return new Measured(
        records,
        records / ((last - start) / 1e9),
        millis[records / 2],
        millis[(int) (records * 0.99)],
        compared,
        different);
  }

  private String line(int place) {
    return lines.get(place % lines.size());
  }

  private void send(int run, int first, long[] sent, long start, double perSecond) {
    for (int i = first; i < sent.length; i += SENDERS) {
      if (perSecond > 0) {
        long due = start + (long) (i / perSecond * 1e9);
        while (System.nanoTime() < due) {
          LockSupport.parkNanos(50_000);
        }
      }
      byte[] key = ByteBuffer.allocate(8).putInt(run).putInt(i).array();
      byte[] text = line(i).getBytes(StandardCharsets.UTF_8);
      sent[i] = System.nanoTime();
      Future<?> unused = producer.send(new ProducerRecord<>(IN, i % partitions, key, text));
    }
    producer.flush();
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(5));
    consumer.close();
  }
}
