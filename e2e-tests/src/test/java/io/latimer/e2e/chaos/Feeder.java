package io.latimer.e2e.chaos;

import io.latimer.e2e.chaos.Ledger.Kind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends sentences at a set rate, and other records on demand. A record's key is its id. Sending is
 * idempotent and waits for a broker that is down, so that each record is in the topic exactly once.
 */
final class Feeder implements AutoCloseable {
  /** Marks a sentence on which the operator hangs once. */
  static final String HANGS_ONCE = "HANGS-ONCE";

  /** Marks a sentence on which the operator hangs whenever it tries. */
  static final String HANGS_ALWAYS = "HANGS-ALWAYS";

  private static final int BIG_BYTES = 1_000_000;

  /** Stage phrases refuses sentences of more than 65,534 words. */
  private static final String LONG_WORD = " Rindfleischetikettierung";

  private static final byte[] NO_UTF8 = {'b', 'a', 'd', ' ', (byte) 0xff, (byte) 0xfe};
  private static final String PATIENCE = Long.toString(TimeUnit.MINUTES.toMillis(20));

  private final String topic;
  private final int partitions;
  private final Ledger ledger;
  private final KafkaProducer<byte[], byte[]> producer;
  private final AtomicReference<Exception> failure = new AtomicReference<>();
  private Thread thread;
  private volatile boolean running;

  Feeder(String bootstrapServers, String topic, int partitions, Ledger ledger) {
    this.topic = topic;
    this.partitions = partitions;
    this.ledger = ledger;
    producer =
        producer(
            bootstrapServers,
            Map.of("linger.ms", "5", "max.request.size", Integer.toString(2 * BIG_BYTES)));
  }

  /** A producer that outlives brokers that are away for long. */
  static KafkaProducer<byte[], byte[]> producer(
      String bootstrapServers, Map<String, Object> properties) {
    Map<String, Object> all = new HashMap<>(properties);
    all.put("bootstrap.servers", bootstrapServers);
    all.put("delivery.timeout.ms", PATIENCE);
    all.put("max.block.ms", PATIENCE);
    all.put("reconnect.backoff.max.ms", "500");
    return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** Starts to send sentences, so many a second. */
  void start(int perSecond) {
    running = true;
    thread =
        new Thread(
            () -> {
              while (running) {
                flood(Kind.SENTENCE, perSecond, Duration.ofSeconds(1));
              }
            },
            "feeder");
    thread.setDaemon(true);
    thread.start();
  }

  /** Sends records of a kind at a rate, for a while. */
  void flood(Kind kind, int perSecond, Duration time) {
    long start = System.nanoTime();
    long total = perSecond * time.toMillis() / 1000;
    for (long i = 0; i < total; i++) {
      long due = start + i * TimeUnit.SECONDS.toNanos(1) / perSecond;
      long early = due - System.nanoTime();
      if (early > TimeUnit.MILLISECONDS.toNanos(2)) {
        sleep(early);
      }
      send(kind);
    }
  }

  /** Sends one record and returns its id. */
  int send(Kind kind) {
    int id = ledger.send(kind);
    byte[] value = NO_UTF8;
    if (kind != Kind.UNREADABLE) {
      String text = text(kind, id);
      value = text.getBytes(StandardCharsets.UTF_8);
      if (!kind.isDeadLetter()) {
        ledger.count(text.split(" ", -1).length);
      }
    }
    byte[] key = Integer.toString(id).getBytes(StandardCharsets.UTF_8);
    // the callback says what the future would
    Future<RecordMetadata> unused =
        producer.send(
            new ProducerRecord<>(topic, id % partitions, key, value),
            (metadata, error) -> {
              if (error != null) {
                failure.compareAndSet(null, error);
              }
            });
    return id;
  }

  private static String text(Kind kind, int id) {
    return switch (kind) {
      case HANGS_ONCE -> HANGS_ONCE + " sentence " + id;
      case HANGS_ALWAYS -> HANGS_ALWAYS + " sentence " + id;
      case BIG -> "big sentence " + id + LONG_WORD.repeat((BIG_BYTES - 40) / LONG_WORD.length());
      default -> "sentence " + id + " has a few words";
    };
  }

  /** Stops sending and waits until the broker has everything. */
  void finish() throws Exception {
    running = false;
    thread.join();
    producer.flush();
    if (failure.get() != null) {
      throw new IllegalStateException("the feeder could not send a record", failure.get());
    }
  }

  private static void sleep(long nanos) {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    running = false;
    producer.close(Duration.ZERO);
  }
}
