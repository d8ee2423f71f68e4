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

/** Sends sentences to a job's input topic and receives its translations from another. */
final class JobFeed implements AutoCloseable {
  static final String IN = "in";
  static final String OUT = "out";

  /** Threads that send: a single one cannot keep up with a GPU. */
  private static final int SENDERS = 2;

  /** Every n-th translation is compared. */
  private static final int COMPARED = 17;

  private static final long SILENCE_NANOS = Duration.ofSeconds(60).toNanos();
  private static final RecordCodec<Translation> TRANSLATIONS = RecordCodec.of(Translation.class);

  private final int partitions;
  private final List<String> lines;
  private final Map<String, String> expected;
  private final Process job;
  private final KafkaProducer<byte[], byte[]> producer;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private int runs;
  private volatile boolean closed;

  /**
   * The results of a run.
   *
   * @param records number of translations received, equal to the number sent
   * @param perSecond translations per second, from the first record sent to the last one received
   * @param p50Millis median time to receive a translation: at a fixed rate from when its sentence
   *     was due, so that a feed that falls behind shows; otherwise from sending it
   * @param p99Millis 99th percentile of that time
   * @param compared number of translations compared with the operator's own
   * @param different number of those that differed
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
   * @param partitions of each topic
   * @param lines the sentences, sent in rotation
   * @param expected their translations
   * @param job the translating process: a run fails as soon as it exits
   */
  JobFeed(
      String servers,
      int partitions,
      List<String> lines,
      Map<String, String> expected,
      Process job) {
    this.job = job;
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
   * @param records number of records
   * @param perSecond records to send per second; 0 sends as fast as the broker accepts them
   * @throws IllegalStateException if the job ends, or nothing new arrives for a minute
   */
  Measured run(int records, double perSecond) throws RecordFormatException, InterruptedException {
    int run = runs++;
    long[] began = new long[records];
    long start = System.nanoTime();
    List<Thread> senders = new ArrayList<>();
    for (int i = 0; i < SENDERS; i++) {
      int first = i;
      Thread sender = new Thread(() -> send(run, first, began, start, perSecond));
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
          throw new IllegalStateException("a record of an earlier run arrived twice");
        }
        int place = key.getInt();
        last = System.nanoTime();
        millis[received++] = (last - began[place]) / 1e6;
        if (received % COMPARED == 0) {
          compared++;
          String text = TRANSLATIONS.decode(record.value()).getText();
          different += text.equals(expected.get(line(place))) ? 0 : 1;
        }
      }
      if (received < records) {
        check(received + " of " + records + " records were translated", last);
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

  private void check(String done, long last) {
    if (!job.isAlive()) {
      throw new IllegalStateException("the job exited with code " + job.exitValue() + "; " + done);
    }
    if (System.nanoTime() - last > SILENCE_NANOS) {
      throw new IllegalStateException("nothing arrived for a minute; " + done);
    }
  }

  private String line(int place) {
    return lines.get(place % lines.size());
  }

  private void send(int run, int first, long[] began, long start, double perSecond) {
    for (int i = first; i < began.length && !closed; i += SENDERS) {
      long due = System.nanoTime();
      if (perSecond > 0) {
        due = start + (long) (i / perSecond * 1e9);
        while (System.nanoTime() < due && !closed) {
          LockSupport.parkNanos(50_000);
        }
      }
      byte[] key = ByteBuffer.allocate(8).putInt(run).putInt(i).array();
      byte[] text = line(i).getBytes(StandardCharsets.UTF_8);
      began[i] = due;
      Future<?> unused = producer.send(new ProducerRecord<>(IN, i % partitions, key, text));
    }
    producer.flush();
  }

  @Override
  public void close() {
    closed = true;
    producer.close(Duration.ofSeconds(5));
    consumer.close();
  }
}
