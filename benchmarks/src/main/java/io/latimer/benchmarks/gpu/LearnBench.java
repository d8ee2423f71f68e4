package io.latimer.benchmarks.gpu;

import io.latimer.kafka.EmbeddedKafka;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Correction;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import io.latimer.schemas.Translation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.flink.util.FileUtils;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * How soon a job uses a correction: a broker in its own process, {@code latimer run} with a stage
 * {@code phrases} in another, a feed at a constant rate. Arguments: INDEX.lpx TEXT DEVICE
 * CORRECTIONS LEARNED RATE, the last one in sentences per second; LEARNED pairs are learned before.
 *
 * <p>A correction is a sentence of the text with itself as its translation, and without an
 * alignment, so the job aligns it. They are sent one by one, 0.1 to 0.4 s apart. Prints a JSON
 * object: the time from sending a correction until the first record is received whose table was
 * made with it, and the latency of sentences meanwhile, from when they were due.
 */
public final class LearnBench {
  private static final String CORRECTIONS = "corrections";
  private static final String STATUS = "status";
  private static final RecordCodec<Translation> TRANSLATIONS = RecordCodec.of(Translation.class);
  private static final RecordCodec<ControlStatus> STATUSES = RecordCodec.of(ControlStatus.class);
  private static final RecordCodec<Correction> CODEC = RecordCodec.of(Correction.class);

  private static final int PARALLELISM = 2;
  private static final long WARM_UP_NANOS = Duration.ofSeconds(10).toNanos();
  private static final long SILENCE_NANOS = Duration.ofMinutes(2).toNanos();

  private static final int LEAST_MILLIS_BETWEEN = 100;
  private static final int MOST_MILLIS_BETWEEN = 400;

  private final Path index;
  private final List<String> lines;
  private final String device;
  private final int corrections;
  private final int learned;
  private final double perSecond;

  /** Of sentences that arrived while corrections were sent, in milliseconds. */
  private final List<Double> latencies = new ArrayList<>();

  /** When a correction was sent, in nanoseconds, in order. */
  private final List<Long> sent = new ArrayList<>();

  /** How long it took, in milliseconds, in order. */
  private final List<Double> waited = new ArrayList<>();

  private LearnBench(String... args) throws IOException {
    index = Path.of(args[0]).toAbsolutePath();
    lines = Files.readAllLines(Path.of(args[1])).stream().filter(line -> !line.isBlank()).toList();
    device = args[2];
    corrections = Integer.parseInt(args[3]);
    learned = Integer.parseInt(args[4]);
    perSecond = Double.parseDouble(args[5]);
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws Exception {
    if (args.length != 6) {
      System.err.println("usage: LearnBench INDEX.lpx TEXT DEVICE CORRECTIONS LEARNED RATE");
      System.exit(2);
    }
    new LearnBench(args).run();
  }

  private void run() throws Exception {
    Path folder = Files.createTempDirectory("latimer-bench-");
    try (EmbeddedKafka broker = EmbeddedKafka.start()) {
      broker.createTopic(JobFeed.IN, PARALLELISM);
      broker.createTopic(JobFeed.OUT, PARALLELISM);
      for (String topic : List.of("control", STATUS, CORRECTIONS)) {
        broker.createTopic(topic, 1);
      }
      Process job = JobProcess.start(jobFile(broker, folder));
      try {
        measure(broker.bootstrapServers(), job);
      } finally {
        job.destroy();
        job.waitFor();
      }
    } finally {
      FileUtils.deleteDirectory(folder.toFile());
    }
  }

  private Path jobFile(EmbeddedKafka broker, Path folder) throws IOException {
    return Files.writeString(
        folder.resolve("job.yaml"),
        """
        name: bench
        parallelism: %4$d
        source:
          kafka: {bootstrap-servers: "%1$s", topics: [%5$s], start: earliest}
        batch: {max-records: 1024, max-tokens: 1000000, max-wait: 5ms}
        stages:
          - phrases: {index: "%2$s", device: "%3$s"}
        sinks:
          - kafka: {bootstrap-servers: "%1$s", topic: %6$s, delivery: at-least-once}
        dead-letters: fail
        control:
          bootstrap-servers: "%1$s"
          topic: control
          start: earliest
          status:
            - kafka: {bootstrap-servers: "%1$s", topic: %7$s, delivery: at-least-once}
          learn:
            - {stage: phrases, corrections: %8$s, max-pairs: %9$d, max-size: 64MiB}
        checkpoints: {interval: 5s, directory: "%10$s"}
        """
            .formatted(
                broker.bootstrapServers(),
                index,
                device,
                PARALLELISM,
                JobFeed.IN,
                JobFeed.OUT,
                STATUS,
                CORRECTIONS,
                learned + corrections,
                folder.resolve("checkpoints").toUri()));
  }

  private void measure(String servers, Process job) throws Exception {
    List<TopicPartition> read =
        new ArrayList<>(
            IntStream.range(0, PARALLELISM)
                .mapToObj(i -> new TopicPartition(JobFeed.OUT, i))
                .toList());
    read.add(new TopicPartition(STATUS, 0));
    Random random = new Random(1);
    try (KafkaProducer<byte[], byte[]> producer = PacedFeed.producer(servers);
        KafkaConsumer<byte[], byte[]> consumer = PacedFeed.consumer(servers, read);
        PacedFeed feed = new PacedFeed(producer, lines, PARALLELISM, perSecond)) {
      for (int i = 0; i < learned; i++) {
        correct(producer, i);
      }
      long next = 0;
      long first = 0;
      long last = System.nanoTime();
      while (waited.size() < corrections) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(5))) {
          last = System.nanoTime();
          if (record.topic().equals(STATUS)) {
            requireLearned(record.value());
            continue;
          }
          feed.ready();
          long pairs =
              TRANSLATIONS.decode(record.value()).getPhraseTables().get(0).getLearnedPairs();
          if (pairs >= learned && next == 0) {
            next = last + WARM_UP_NANOS;
          }
          if (first > 0) {
            int number = ByteBuffer.wrap(record.key()).getInt();
            latencies.add((last - feed.due(number)) / 1e6);
          }
          while (learned + waited.size() < pairs) {
            waited.add((last - sent.get(waited.size())) / 1e6);
          }
        }
        requireAlive(job, last);
        long now = System.nanoTime();
        if (next > 0 && now > next && sent.size() < corrections) {
          first = first == 0 ? now : first;
          sent.add(now);
          correct(producer, learned + sent.size() - 1);
          next = now + Duration.ofMillis(millisBetween(random)).toNanos();
        }
      }
      print((last - first) / 1e9);
    }
  }

  private static int millisBetween(Random random) {
    return LEAST_MILLIS_BETWEEN + random.nextInt(MOST_MILLIS_BETWEEN - LEAST_MILLIS_BETWEEN + 1);
  }

  private void correct(KafkaProducer<byte[], byte[]> producer, int number) {
    String text = lines.get(number % lines.size());
    Correction correction = new Correction("c" + number, Instant.now(), text, text, null);
    Future<?> unused =
        producer.send(new ProducerRecord<>(CORRECTIONS, 0, null, CODEC.encode(correction)));
  }

  private static void requireLearned(byte[] value) throws RecordFormatException {
    ControlStatus status = STATUSES.decode(value);
    if (status.getState().equals("refused")) {
      throw new IllegalStateException("corrections were refused: " + status.getMessage());
    }
  }

  private void requireAlive(Process job, long last) {
    if (!job.isAlive()) {
      throw new IllegalStateException("the job exited with code " + job.exitValue());
    }
    if (System.nanoTime() - last > SILENCE_NANOS) {
      throw new IllegalStateException(
          "nothing arrived for two minutes; " + waited.size() + " corrections were used");
    }
  }

  private void print(double seconds) {
    double[] used = sorted(waited);
    double[] sentences = sorted(latencies);
    System.out.printf(
        Locale.ROOT,
        "{\"op\": \"learn\", \"device\": \"%s\", \"parallelism\": %d, \"learned\": %d,"
            + " \"corrections\": %d, \"rate\": %.0f, \"sentences_per_s\": %.0f,"
            + " \"p50_ms\": %.0f, \"p99_ms\": %.0f, \"max_ms\": %.0f,"
            + " \"sentence_p50_ms\": %.1f, \"sentence_p99_ms\": %.1f}%n",
        device,
        PARALLELISM,
        learned,
        corrections,
        perSecond,
        sentences.length / seconds,
        Spread.at(used, 0.5),
        Spread.at(used, 0.99),
        Spread.at(used, 1),
        Spread.at(sentences, 0.5),
        Spread.at(sentences, 0.99));
  }

  private static double[] sorted(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(one -> one).toArray();
    Arrays.sort(sorted);
    return sorted;
  }
}
