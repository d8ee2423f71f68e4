package io.latimer.benchmarks.gpu;

import io.latimer.schemas.Correction;
import io.latimer.schemas.RecordCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

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
public final class LearnBench extends ControlledJob {
  private static final RecordCodec<Correction> CODEC = RecordCodec.of(Correction.class);

  private static final int PARALLELISM = 2;
  private static final long WARM_UP_NANOS = Duration.ofSeconds(10).toNanos();
  private static final long SILENCE_NANOS = Duration.ofMinutes(2).toNanos();

  private static final int LEAST_MILLIS_BETWEEN = 100;
  private static final int MOST_MILLIS_BETWEEN = 400;

  private final String device;
  private final int corrections;
  private final int learned;

  /** Of sentences that arrived while corrections were sent, in milliseconds. */
  private final List<Double> latencies = new ArrayList<>();

  /** When a correction was sent, in nanoseconds, in order. */
  private final List<Long> sent = new ArrayList<>();

  /** How long it took, in milliseconds, in order. */
  private final List<Double> waited = new ArrayList<>();

  private LearnBench(String... args) throws IOException {
    super(args[1], PARALLELISM, Double.parseDouble(args[5]));
    device = args[2];
    corrections = Integer.parseInt(args[3]);
    learned = Integer.parseInt(args[4]);
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws Exception {
    if (args.length != 6) {
      System.err.println("usage: LearnBench INDEX.lpx TEXT DEVICE CORRECTIONS LEARNED RATE");
      System.exit(2);
    }
    LearnBench bench = new LearnBench(args);
    Path index = Path.of(args[0]).toAbsolutePath();
    bench.run(
        1024,
        "phrases: {index: \"%s\", device: \"%s\"}".formatted(index, bench.device),
        "{stage: phrases, corrections: %s, max-pairs: %d, max-size: 64MiB}"
            .formatted(CORRECTIONS, bench.learned + bench.corrections));
  }

  @Override
  void measure(
      KafkaProducer<byte[], byte[]> producer,
      KafkaConsumer<byte[], byte[]> consumer,
      PacedFeed feed,
      Path folder)
      throws Exception {
    Random random = new Random(1);
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
          status(record.value());
          continue;
        }
        feed.ready();
        long pairs = TRANSLATIONS.decode(record.value()).getPhraseTables().get(0).getLearnedPairs();
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
      requireProgress(last);
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

  private static int millisBetween(Random random) {
    return LEAST_MILLIS_BETWEEN + random.nextInt(MOST_MILLIS_BETWEEN - LEAST_MILLIS_BETWEEN + 1);
  }

  private void correct(KafkaProducer<byte[], byte[]> producer, int number) {
    String text = lines.get(number % lines.size());
    Correction correction = new Correction("c" + number, Instant.now(), text, text, null);
    Future<?> unused =
        producer.send(new ProducerRecord<>(CORRECTIONS, 0, null, CODEC.encode(correction)));
  }

  private void requireProgress(long last) {
    requireAlive();
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
}
