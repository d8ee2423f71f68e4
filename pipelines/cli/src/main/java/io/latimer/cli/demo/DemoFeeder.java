package io.latimer.cli.demo;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.InputLine;
import io.latimer.cli.command.LineReader;
import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.util.FileErrors;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Sentence;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends the lines of a feed to a topic as sentences, at a given rate. */
final class DemoFeeder {
  private final DemoSettings settings;
  private final DemoFeed feed;
  private final DemoCounts counts;
  private final Terminal terminal;
  private final RecordCodec<Sentence> codec = RecordCodec.of(Sentence.class);
  private volatile boolean stopped;
  private volatile RuntimeException failure;

  DemoFeeder(DemoSettings settings, DemoFeed feed, DemoCounts counts, Terminal terminal) {
    this.settings = settings;
    this.feed = feed;
    this.counts = counts;
    this.terminal = terminal;
  }

  /** Stops sending. */
  void stop() {
    stopped = true;
  }

  /** Throws an error if sending failed. */
  void check() {
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Sends until the feed, the number of sentences or the time is used up.
   *
   * @param bootstrapServers the brokers
   */
  void run(String bootstrapServers) {
    try (Producer<byte[], byte[]> producer = producer(bootstrapServers)) {
      send(producer);
    } catch (IOException e) {
      failure = new CommandException("the feed cannot be read: " + FileErrors.reason(e), e);
    } catch (RuntimeException e) {
      failure = e;
    } catch (Error e) { // otherwise the demo would wait for sentences that never come
      failure = new IllegalStateException("the feed stopped: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void send(Producer<byte[], byte[]> producer) throws IOException, InterruptedException {
    long start = System.nanoTime();
    long end = start + settings.duration().toNanos();
    long sent = 0;
    long before;
    do {
      before = sent;
      try (InputStream in = feed.open()) {
        sent = send(producer, new LineReader(in), sent, start, end);
      }
    } while (settings.loop() && sent > before && sent < settings.limit() && goesOn(end));
  }

  private boolean goesOn(long end) {
    return !stopped && failure == null && System.nanoTime() < end;
  }

  /** Sends lines until they or the limits end; returns the total number sent so far. */
  private long send(
      Producer<byte[], byte[]> producer, LineReader lines, long sent, long start, long end)
      throws IOException, InterruptedException {
    double nanosEach = settings.rate() > 0 ? 1e9 / settings.rate() : 0;
    long number = sent;
    while (number < settings.limit() && !stopped && failure == null) {
      InputLine line = lines.next();
      if (line == null) {
        return number;
      }
      if (line.problem().isPresent()) {
        terminal.message(
            "latimer: line " + line.number() + " of the feed is skipped: " + line.problem().get());
        continue;
      }
      if (line.text().isBlank()) {
        continue;
      }
      long due = start + (long) (number * nanosEach);
      while (System.nanoTime() < Math.min(due, end) && !stopped) {
        TimeUnit.NANOSECONDS.sleep(
            Math.min(50_000_000, Math.max(0, Math.min(due, end) - System.nanoTime())));
      }
      if (stopped || System.nanoTime() >= end) {
        return number;
      }
      send(producer, line.text(), number++);
    }
    return number;
  }

  private void send(Producer<byte[], byte[]> producer, String text, long number) {
    String id = settings.runId() + "-" + number;
    Sentence sentence =
        Sentence.newBuilder()
            .setId(id)
            .setFeed(settings.feedName())
            .setLanguage("")
            .setText(text)
            .setEventTime(Instant.now())
            .setHeaders(List.of())
            .build();
    counts.in.incrementAndGet();
    Future<RecordMetadata> unused =
        producer.send(
            new ProducerRecord<>(
                settings.sourceTopic(),
                id.getBytes(StandardCharsets.UTF_8),
                codec.encode(sentence)),
            (metadata, error) -> {
              if (error != null && failure == null) {
                failure =
                    new CommandException(
                        "a sentence cannot be sent to Kafka: " + error.getMessage());
              }
            });
  }

  private static Producer<byte[], byte[]> producer(String bootstrapServers) {
    return new KafkaProducer<>(
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            bootstrapServers,
            ProducerConfig.LINGER_MS_CONFIG,
            "0", // a live feed: a sentence is sent when it is created
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
            "15000",
            ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
            "10000"),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }
}
