package io.latimer.benchmarks.gpu;

import io.latimer.kafka.EmbeddedKafka;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import io.latimer.schemas.Translation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.util.FileUtils;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;

/**
 * A job that gets commands or corrections while it processes a feed at a constant rate: a broker in
 * its own process, {@code latimer run} in another.
 */
abstract class ControlledJob {
  static final String CONTROL = "control";
  static final String CORRECTIONS = "corrections";
  static final String STATUS = "status";
  static final RecordCodec<Translation> TRANSLATIONS = RecordCodec.of(Translation.class);
  private static final RecordCodec<ControlStatus> STATUSES = RecordCodec.of(ControlStatus.class);

  final List<String> lines;
  final int parallelism;
  final double perSecond;
  private Process job;

  ControlledJob(String text, int parallelism, double perSecond) throws IOException {
    this.lines =
        Files.readAllLines(Path.of(text)).stream().filter(line -> !line.isBlank()).toList();
    this.parallelism = parallelism;
    this.perSecond = perSecond;
  }

  /**
   * Runs the job and the feed, and measures.
   *
   * @param batch records of a batch
   * @param stage YAML of its stage
   * @param learn YAML of how it learns
   */
  final void run(int batch, String stage, String learn) throws Exception {
    Path folder = Files.createTempDirectory("latimer-bench-");
    try (EmbeddedKafka broker = EmbeddedKafka.start()) {
      String servers = broker.bootstrapServers();
      broker.createTopic(JobFeed.IN, parallelism);
      broker.createTopic(JobFeed.OUT, parallelism);
      for (String topic : List.of(CONTROL, CORRECTIONS, STATUS)) {
        broker.createTopic(topic, 1);
      }
      String yaml =
          """
          name: bench
          parallelism: %1$d
          source:
            kafka: {bootstrap-servers: "%2$s", topics: [%3$s], start: earliest}
          batch: {max-records: %4$d, max-tokens: 1000000, max-wait: 5ms}
          stages: [%5$s]
          sinks:
            - kafka: {bootstrap-servers: "%2$s", topic: %6$s, delivery: at-least-once}
          dead-letters: fail
          control:
            bootstrap-servers: "%2$s"
            topic: %7$s
            start: earliest
            status:
              - kafka: {bootstrap-servers: "%2$s", topic: %8$s, delivery: at-least-once}
            learn: [%9$s]
          checkpoints: {interval: 5s, directory: "%10$s"}
          """
              .formatted(
                  parallelism,
                  servers,
                  JobFeed.IN,
                  batch,
                  stage,
                  JobFeed.OUT,
                  CONTROL,
                  STATUS,
                  learn,
                  folder.resolve("checkpoints").toUri());
      job = JobProcess.start(Files.writeString(folder.resolve("job.yaml"), yaml));
      List<TopicPartition> read = new ArrayList<>(List.of(new TopicPartition(STATUS, 0)));
      IntStream.range(0, parallelism).forEach(i -> read.add(new TopicPartition(JobFeed.OUT, i)));
      try (KafkaProducer<byte[], byte[]> producer = PacedFeed.producer(servers);
          KafkaConsumer<byte[], byte[]> consumer = PacedFeed.consumer(servers, read);
          PacedFeed feed = new PacedFeed(producer, lines, parallelism, perSecond)) {
        measure(producer, consumer, feed, folder);
      } finally {
        job.destroy();
        job.waitFor();
      }
    } finally {
      FileUtils.deleteDirectory(folder.toFile());
    }
  }

  /**
   * Sends commands or corrections, and reads what the job writes.
   *
   * @param folder of the run
   */
  abstract void measure(
      KafkaProducer<byte[], byte[]> producer,
      KafkaConsumer<byte[], byte[]> consumer,
      PacedFeed feed,
      Path folder)
      throws Exception;

  /** A status that refuses nothing. */
  static ControlStatus status(byte[] value) throws RecordFormatException {
    ControlStatus status = STATUSES.decode(value);
    if (status.getState().equals("refused")) {
      throw new IllegalStateException("it was refused: " + status.getMessage());
    }
    return status;
  }

  final void requireAlive() {
    if (!job.isAlive()) {
      throw new IllegalStateException("the job exited with code " + job.exitValue());
    }
  }

  static double[] sorted(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(one -> one).toArray();
    Arrays.sort(sorted);
    return sorted;
  }
}
