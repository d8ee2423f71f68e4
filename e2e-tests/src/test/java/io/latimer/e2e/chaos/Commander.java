package io.latimer.e2e.chaos;

import io.latimer.e2e.chaos.CommandLedger.Kind;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.schemas.BatchLimits;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Correction;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.StageIndexVersion;
import io.latimer.schemas.WordLink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Sends commands of every kind to the job, all through the faults, and reads what becomes of them.
 * The job itself adds swaps to the index files that it compacts learned pairs to.
 */
final class Commander implements AutoCloseable {
  static final String CONTROL = "control";
  static final String STATUS = "status";

  /** Name of the stage that is swapped, and learns. */
  static final String STAGE = "phrases";

  /** Learned pairs at which the job compacts them: no more than there are between two swaps. */
  private static final int COMPACTED_PAIRS = 5;

  private static final int MOST_APPENDED = 3;

  private static final List<Kind> CHOICES =
      List.of(Kind.APPEND, Kind.APPEND, Kind.APPEND, Kind.APPEND, Kind.SET, Kind.SWAP);

  /** So that kills come while some are on their way, but never too many. */
  private static final int MOST_UNDER_WAY = 12;

  private static final int LONGEST_PAUSE_MILLIS = 600;
  private static final int MOST_RECORDS = 512;
  private static final Duration POLL = Duration.ofMillis(100);

  private final CommandLedger ledger = new CommandLedger();
  private final List<IndexRef> indexes;
  private final Random random;
  private final KafkaProducer<byte[], byte[]> producer;
  private final KafkaConsumer<byte[], byte[]> statuses;
  private final AtomicReference<Exception> failure = new AtomicReference<>();
  private final List<Thread> threads;
  private volatile boolean sending = true;
  private volatile boolean reading = true;

  /**
   * Starts to send commands.
   *
   * @param indexes the files between which the stage is swapped
   */
  Commander(String bootstrapServers, List<Path> indexes, long seed) {
    this.indexes = indexes.stream().map(IndexRefs::of).toList();
    random = new Random(seed);
    producer = Feeder.producer(bootstrapServers, Map.of());
    statuses = CommittedReader.consumer(bootstrapServers);
    CommittedReader.assignAll(statuses, List.of(STATUS));
    threads = List.of(start("commands", this::send), start("statuses", this::read));
  }

  /** Writes the index files that it swaps between, and makes the folder for those of the job. */
  static List<Path> writeIndexes(Path folder) throws IOException {
    Files.createDirectories(folder.resolve("compacted"));
    return List.of(
        ParallelText.of("a few ||| ein paar ||| 0-0 1-1", "sentence ||| satz ||| 0-0")
            .index(folder, "first.lpx"),
        ParallelText.of("has a few ||| hat ein paar ||| 0-0 1-1 2-2", "few ||| wenige ||| 0-0")
            .index(folder, "second.lpx"));
  }

  /** The stage, for the job file. */
  static String stage(Path folder) {
    return "phrases: {index: \"%s\"}".formatted(folder.resolve("first.lpx"));
  }

  /** The section {@code control} of the job file. */
  static String control(String bootstrapServers, Path folder) {
    return """
    control:
      bootstrap-servers: "%1$s"
      topic: %2$s
      start: earliest
      status: [kafka: {bootstrap-servers: "%1$s", topic: %3$s}]
      learn:
        - stage: %4$s
          max-pairs: %5$d
          compact: {pairs: %6$d, directory: "%7$s"}
    """
        .formatted(
            bootstrapServers,
            CONTROL,
            STATUS,
            STAGE,
            4 * COMPACTED_PAIRS,
            COMPACTED_PAIRS,
            folder.resolve("compacted"));
  }

  private interface Work {
    void run() throws Exception;
  }

  private Thread start(String name, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (Exception e) {
                failure.compareAndSet(null, e);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void send() throws InterruptedException {
    for (int number = 0; sending; number++) {
      TimeUnit.MILLISECONDS.sleep(random.nextInt(LONGEST_PAUSE_MILLIS));
      if (ledger.underWay().size() < MOST_UNDER_WAY) {
        Kind kind = CHOICES.get(random.nextInt(CHOICES.size()));
        send(kind, kind + " " + number, number);
      }
    }
  }

  private void send(Kind kind, String id, int number) {
    ControlCommand.Builder command =
        ControlCommand.newBuilder().setId(id).setJob(ChaosWorld.JOB).setTime(Instant.now());
    switch (kind) {
      case SWAP -> {
        IndexRef index = indexes.get(random.nextInt(indexes.size()));
        IndexReference file =
            new IndexReference(index.kind(), index.uri().toString(), index.sha256(), "");
        // as if the file had all pairs in it that the job has learned, as far as is known
        command.setSwap(new StageIndexVersion(STAGE, file, 0L, 0L)).setCovers(ledger.learned());
      }
      case APPEND -> command.setAppendTo(STAGE).setAppend(corrections(number));
      case SET -> command.setSet(new BatchLimits(MOST_RECORDS - random.nextInt(100), null, null));
      case COMPACT -> throw new IllegalArgumentException("the job sends it");
    }
    ledger.send(kind, id);
    byte[] key = id.getBytes(StandardCharsets.UTF_8);
    byte[] value = RecordCodec.of(ControlCommand.class).encode(command.build());
    // the callback says what the future would
    Future<RecordMetadata> unused =
        producer.send(
            new ProducerRecord<>(CONTROL, key, value),
            (metadata, error) -> {
              if (error != null) {
                failure.compareAndSet(null, error);
              }
            });
  }

  private List<Correction> corrections(int number) {
    List<Correction> corrections = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(MOST_APPENDED); i++) {
      corrections.add(correction("correction " + number + "." + i, number));
    }
    return corrections;
  }

  private static Correction correction(String id, int number) {
    return new Correction(
        id,
        Instant.ofEpochMilli(number),
        "has a few words",
        "hat einige worte",
        // every other one is aligned by the job
        number % 2 == 0 ? null : List.of(new WordLink(0, 0), new WordLink(2, 1)));
  }

  private void read() throws Exception {
    RecordCodec<ControlStatus> codec = RecordCodec.of(ControlStatus.class);
    try (statuses) {
      while (reading) {
        for (ConsumerRecord<byte[], byte[]> record : statuses.poll(POLL)) {
          ledger.see(codec.decode(record.value()));
        }
      }
    }
  }

  CommandLedger ledger() {
    return ledger;
  }

  /** Fails if it has failed. */
  void requireWell() {
    if (failure.get() != null) {
      throw new IllegalStateException("commands could not be sent or followed", failure.get());
    }
  }

  /** Sends no more. */
  void finish() {
    sending = false;
  }

  @Override
  public void close() {
    sending = false;
    reading = false;
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    producer.close(Duration.ZERO);
  }
}
