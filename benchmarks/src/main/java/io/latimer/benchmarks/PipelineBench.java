package io.latimer.benchmarks;

import io.latimer.kafka.EmbeddedKafka;
import io.latimer.pipelines.flink.TranslationJob;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Translation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The cost of Kafka, Avro and batching: the whole job with the identity stage instead of a model,
 * with its own broker on the same machine. Prints sentences per second, with start-up cancelled out
 * by the difference of a long and a short run; then the latency at 100 sentences per second with
 * batches of one and with default batches.
 */
public final class PipelineBench {
  private static final int SHORT = 200_000;
  private static final int LONG = 1_200_000;
  private static final int RATE = 100;
  private static final int WARM_UP = 500;
  private static final int MEASURED = 1_500;

  private final EmbeddedKafka broker;
  private final List<String> sentences;

  private PipelineBench(EmbeddedKafka broker, List<String> sentences) {
    this.broker = broker;
    this.sentences = sentences;
  }

  /** Runs both benchmarks. Takes no arguments; run it in the project's root. */
  public static void main(String[] args) throws Exception {
    List<String> sentences = Files.readAllLines(Path.of("examples/feeds/everyday.en.txt"));
    try (EmbeddedKafka broker = EmbeddedKafka.start()) {
      PipelineBench bench = new PipelineBench(broker, sentences);
      bench.throughput();
      bench.latency("batches of one", "batch: {max-records: 1}");
      bench.latency("default batches", "batch: {max-records: 64, max-wait: 20ms}");
    }
  }

  private void throughput() throws Exception {
    broker.createTopic("short", 1);
    broker.createTopic("long", 1);
    produce("short", SHORT);
    produce("long", LONG);
    run("short", "warm");
    for (int i = 1; i <= 3; i++) {
      double s = run("short", "s" + i);
      double l = run("long", "l" + i);
      System.out.printf(
          Locale.ROOT,
          "run %d: %d in %.2f s, %d in %.2f s: %.0f sentences/s%n",
          i,
          SHORT,
          s,
          LONG,
          l,
          (LONG - SHORT) / (l - s));
    }
  }

  private double run(String in, String out) throws Exception {
    broker.createTopic(out, 1);
    long start = System.nanoTime();
    environment(job(in, out, true, "checkpoints: {interval: 1s}")).execute();
    double seconds = (System.nanoTime() - start) / 1e9;
    long expected = records(in);
    if (records(out) != expected) {
      throw new IllegalStateException(
          "topic " + out + " has " + records(out) + " records, expected " + expected);
    }
    return seconds;
  }

  private long records(String topic) {
    TopicPartition partition = new TopicPartition(topic, 0);
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      return consumer.endOffsets(List.of(partition)).get(partition);
    }
  }

  private void latency(String name, String batch) throws Exception {
    String in = name.replace(' ', '-');
    String out = in + "-out";
    broker.createTopic(in, 1);
    broker.createTopic(out, 1);
    JobClient job =
        environment(job(in, out, false, batch + "\ncheckpoints: {interval: 10s}")).executeAsync();
    long[] micros = new long[WARM_UP + MEASURED];
    RecordCodec<Translation> codec = RecordCodec.of(Translation.class);
    try (KafkaProducer<byte[], byte[]> producer = producer(0);
        KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      consumer.assign(List.of(new TopicPartition(out, 0)));
      long[] sent = new long[micros.length];
      Thread sender =
          new Thread(
              () -> {
                long begin = System.nanoTime();
                for (int i = 0; i < sent.length; i++) {
                  long due = begin + i * (1_000_000_000L / RATE);
                  while (System.nanoTime() < due) {
                    java.util.concurrent.locks.LockSupport.parkNanos(due - System.nanoTime());
                  }
                  sent[i] = System.nanoTime();
                  Future<?> unused =
                      producer.send(
                          new ProducerRecord<>(
                              in, (i + " is the number.").getBytes(StandardCharsets.UTF_8)));
                }
              });
      sender.start();
      int received = 0;
      while (received < micros.length) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          String text = codec.decode(record.value()).getSource().getText();
          int i = Integer.parseInt(text.substring(0, text.indexOf(' ')));
          micros[i] = (System.nanoTime() - sent[i]) / 1000;
          received++;
        }
      }
      sender.join();
    }
    job.cancel().get();
    long[] measured = Arrays.copyOfRange(micros, WARM_UP, micros.length);
    Arrays.sort(measured);
    System.out.printf(
        Locale.ROOT,
        "%s at %d/s: p50 %.1f ms, p99 %.1f ms%n",
        name,
        RATE,
        measured[measured.length / 2] / 1e3,
        measured[measured.length * 99 / 100] / 1e3);
  }

  private JobConfig job(String in, String out, boolean bounded, String more) {
    String yaml =
        """
        name: %2$s
        source:
          kafka: {bootstrap-servers: "%1$s", topics: [%3$s], start: earliest, bounded: %4$s}
        stages: [identity: {}]
        sinks:
          - kafka: {bootstrap-servers: "%1$s", topic: %2$s, delivery: at-least-once}
        dead-letters: fail
        """
            .formatted(broker.bootstrapServers(), out, in, bounded);
    return JobConfigReader.read(yaml + more + "\n", "bench.yaml", Path.of("."));
  }

  private static StreamExecutionEnvironment environment(JobConfig config) {
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(new Configuration());
    TranslationJob.build(env, config);
    return env;
  }

  private void produce(String topic, int count) {
    try (KafkaProducer<byte[], byte[]> producer = producer(5)) {
      for (int i = 0; i < count; i++) {
        byte[] line = sentences.get(i % sentences.size()).getBytes(StandardCharsets.UTF_8);
        Future<?> unused = producer.send(new ProducerRecord<>(topic, line));
      }
    }
  }

  private KafkaProducer<byte[], byte[]> producer(int lingerMillis) {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", broker.bootstrapServers(), "linger.ms", lingerMillis),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  private KafkaConsumer<byte[], byte[]> consumer() {
    return new KafkaConsumer<>(
        Map.of("bootstrap.servers", broker.bootstrapServers(), "auto.offset.reset", "earliest"),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }
}
