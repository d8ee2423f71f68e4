package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Latimer;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Translation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code latimer run} in a process that is killed or stopped in mid-stream and started again:
 * readers of committed records see every record exactly once.
 */
@Timeout(400)
class KilledRunTest {
  private static final int KILLS = 3;
  private static final int PARTITIONS = 2;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final RecordCodec<Translation> TRANSLATIONS = RecordCodec.of(Translation.class);

  @TempDir Path folder;
  private Topics topics;
  private Feeder feeder;
  private Reader reader;
  private Process process;
  private int starts;

  @BeforeEach
  void start() throws Exception {
    topics = new Topics();
    topics.create("run-in", PARTITIONS);
    topics.create("run-out", 2);
    feeder = new Feeder();
    reader = new Reader();
    reader.start();
    feeder.start();
  }

  @AfterEach
  void stop() throws Exception {
    feeder.end();
    reader.end();
    if (process != null) {
      process.destroyForcibly().waitFor();
    }
    topics.close();
  }

  private Path job(String checkpoints) throws Exception {
    String servers = topics.broker().bootstrapServers();
    return Files.writeString(
        folder.resolve("job.yaml"),
        """
        name: killed-%3$s
        source:
          kafka: {bootstrap-servers: "%1$s", topics: [run-in]}
        stages: [identity]
        sinks:
          - kafka: {bootstrap-servers: "%1$s", topic: run-out, delivery: exactly-once}
        parallelism: 2
        checkpoints: {interval: 300ms%2$s}
        """
            .formatted(servers, checkpoints, folder.getFileName()));
  }

  /** Starts the job in a process; what it says is in the file that {@link #said} reads. */
  private void run(Path job, String... options) throws Exception {
    starts++;
    List<String> arguments = new ArrayList<>(List.of("run", "--config", job.toString()));
    arguments.addAll(List.of(options));
    process =
        Jvm.program(
                System.getProperty("java.class.path"),
                Latimer.class.getName(),
                arguments.toArray(String[]::new))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(folder.resolve("err" + starts).toFile())
            .start();
  }

  private String said() throws Exception {
    return Files.readString(folder.resolve("err" + starts));
  }

  private boolean says(String text) {
    try {
      return said().contains(text);
    } catch (Exception e) {
      return false;
    }
  }

  private void await(String what, BooleanSupplier condition) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(process.isAlive()).as("%s: %s", what, said()).isTrue();
      assertThat(System.nanoTime()).as("%s: %s", what, said()).isLessThan(end);
      Thread.sleep(20);
    }
  }

  /** More records have come out than now, by so many. */
  private void awaitMore(int records) throws Exception {
    int before = reader.size();
    await("records out", () -> reader.size() >= before + records);
  }

  private void stop(String signal, int exitCode) throws Exception {
    assertThat(
            new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                .start()
                .waitFor())
        .isZero();
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as(said()).isTrue();
    assertThat(process.exitValue()).as(said()).isEqualTo(exitCode);
  }

  /** A build that a shell began in the background ignores Ctrl-C, and so does what it starts. */
  private static boolean isCtrlCIgnored() throws Exception {
    Path status = Path.of("/proc/self/status");
    for (String line : Files.exists(status) ? Files.readAllLines(status) : List.<String>of()) {
      if (line.startsWith("SigIgn:")) {
        return (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 1 << 1) != 0;
      }
    }
    return false;
  }

  private void assertAllArriveOnce() throws Exception {
    assertAllArrive();
    Set<String> seen = new HashSet<>();
    List<String> twice = reader.ids().stream().filter(id -> !seen.add(id)).toList();
    assertThat(twice).as("read twice").isEmpty();
  }

  private void assertAllArrive() throws Exception {
    feeder.end();
    // of each partition: the transactions of their writers are committed one after the other
    List<String> last = feeder.ids().subList(feeder.sent() - PARTITIONS, feeder.sent());
    await("the last records", () -> reader.ids().containsAll(last));
    reader.settle();
    List<String> missing = new ArrayList<>(feeder.ids());
    missing.removeAll(new HashSet<>(reader.ids()));
    assertThat(missing)
        .as("lost of %d sent, %d read: %s", feeder.sent(), reader.size(), said())
        .isEmpty();
  }

  @Test
  void aKilledProcessLosesAndDoublesNothing() throws Exception {
    Path job = job(", directory: " + folder.resolve("state"));
    run(job);
    awaitMore(200);
    for (int kill = 1; kill <= KILLS; kill++) {
      process.destroyForcibly().waitFor();
      reader.settle();
      long killed = System.nanoTime();
      run(job);
      await("the job runs", () -> says(" is running."));
      long running = System.nanoTime();
      awaitMore(200);
      assertThat(said()).contains("latimer: resuming from checkpoint ");
      long first = reader.firstAfter(killed);
      System.out.printf(
          "kill %d: readers of committed records waited %d ms, %d ms of them after the start of the"
              + " job%n",
          kill, (first - killed) / 1_000_000, (first - running) / 1_000_000);
    }
    assertAllArriveOnce();
    stop("TERM", 143);
  }

  /** What was committed after the one before it comes again, and nothing is lost. */
  @Test
  void aDamagedCheckpointIsRefusedAndTheOneBeforeItCanBeRestored() throws Exception {
    Path state = folder.resolve("state");
    Path job = job(", directory: " + state);
    run(job);
    awaitMore(200);
    await("two checkpoints", () -> checkpoints(state).size() >= 2);
    process.destroyForcibly().waitFor();
    List<Path> kept = checkpoints(state);
    Files.write(kept.get(kept.size() - 1).resolve("_metadata"), new byte[0]);

    run(job);
    assertThat(process.waitFor()).isEqualTo(1);
    assertThat(said())
        .contains("the metadata of file:" + kept.get(kept.size() - 1) + " cannot be read: ")
        .contains("; --restore file:" + kept.get(kept.size() - 2) + " starts from the one before");
    run(job, "--restore", kept.get(kept.size() - 2).toString());
    awaitMore(200);
    assertAllArrive();
    stop("TERM", 143);
  }

  /** The complete checkpoints, oldest first. */
  private static List<Path> checkpoints(Path state) {
    try (Stream<Path> files = Files.walk(state)) {
      return files
          .filter(file -> file.endsWith("_metadata"))
          .map(Path::getParent)
          .sorted(Comparator.comparingInt(KilledRunTest::number))
          .toList();
    } catch (IOException | UncheckedIOException e) {
      return List.of(); // Flink deletes older ones
    }
  }

  private static int number(Path checkpoint) {
    return Integer.parseInt(checkpoint.getFileName().toString().substring("chk-".length()));
  }

  /** With its savepoint, the next run goes on, also when it is told to by path. */
  @Test
  void aStoppedProcessGoesOn() throws Exception {
    Path job = job(", directory: " + folder.resolve("state"));
    run(job);
    awaitMore(200);
    stop("TERM", 143);
    assertThat(said()).contains("latimer: stopping ...", "latimer: stopped with savepoint file:");
    String savepoint = said().replaceAll("(?s).*with savepoint (file:\\S+);.*", "$1");
    run(job);
    awaitMore(200);
    assertThat(said()).contains(savepoint);
    if (isCtrlCIgnored()) {
      stop("TERM", 143);
    } else {
      stop("INT", 130);
    }
    savepoint = said().replaceAll("(?s).*with savepoint (file:\\S+);.*", "$1");
    run(job, "--restore", savepoint);
    awaitMore(200);
    assertAllArriveOnce();
    stop("TERM", 143);
    assertThat(Path.of(java.net.URI.create(savepoint))).isDirectory();
  }

  /**
   * Without a folder for a savepoint, the job writes what it has read. Flink's source is closed
   * before it has committed its last offsets, so some may come twice.
   */
  @Test
  void aStoppedProcessWithoutAFolderForItsStateLosesNothing() throws Exception {
    Path job = job("");
    run(job);
    awaitMore(200);
    assertThat(said()).contains("has no checkpoints.directory");
    stop("TERM", 143);
    assertThat(said()).contains("latimer: stopped; all that was read is written.");
    run(job);
    awaitMore(200);
    assertAllArrive();
    stop("TERM", 143);
  }

  /** Sends ids all the time, so that batches and transactions are open whenever a kill comes. */
  private final class Feeder extends Thread {
    private final List<String> ids = new ArrayList<>();
    private volatile boolean ended;
    private volatile Exception failure;

    @Override
    public void run() {
      try {
        while (!ended) {
          List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
          for (int i = 0; i < 20; i++) {
            String id = "id-" + sent();
            records.add(
                new ProducerRecord<>(
                    "run-in", i % PARTITIONS, null, id.getBytes(StandardCharsets.UTF_8)));
            synchronized (ids) {
              ids.add(id);
            }
          }
          topics.send(records);
          Thread.sleep(20); // a live feed: 1,000 records a second at most
        }
      } catch (Exception e) {
        failure = e;
      }
    }

    int sent() {
      synchronized (ids) {
        return ids.size();
      }
    }

    List<String> ids() {
      synchronized (ids) {
        return List.copyOf(ids);
      }
    }

    void end() throws Exception {
      ended = true;
      join();
      if (failure != null) {
        throw failure;
      }
    }
  }

  /** Reads committed records all the time and remembers when they came. */
  private final class Reader extends Thread {
    private final List<String> ids = new ArrayList<>();
    private final List<Long> times = new ArrayList<>();
    private volatile boolean ended;
    private final AtomicLong emptyPolls = new AtomicLong();

    @Override
    public void run() {
      try (KafkaConsumer<byte[], byte[]> consumer =
          new KafkaConsumer<>(
              Map.of(
                  "bootstrap.servers",
                  topics.broker().bootstrapServers(),
                  "isolation.level",
                  "read_committed",
                  "enable.auto.commit",
                  "false"),
              new ByteArrayDeserializer(),
              new ByteArrayDeserializer())) {
        List<TopicPartition> partitions =
            List.of(new TopicPartition("run-out", 0), new TopicPartition("run-out", 1));
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        while (!ended) {
          boolean some = false;
          for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
            some = true;
            synchronized (ids) {
              ids.add(text(record));
              times.add(System.nanoTime());
            }
          }
          if (!some) {
            emptyPolls.incrementAndGet();
          }
        }
      }
    }

    private String text(ConsumerRecord<byte[], byte[]> record) {
      try {
        return TRANSLATIONS.decode(record.value()).getSource().getText();
      } catch (io.latimer.schemas.RecordFormatException e) {
        return e.toString();
      }
    }

    /** Waits until what was committed before a kill has been read. */
    void settle() throws InterruptedException {
      long before = emptyPolls.get();
      while (emptyPolls.get() < before + 3) {
        Thread.sleep(20);
      }
    }

    /** When the first record came after a time. */
    long firstAfter(long nanos) {
      synchronized (ids) {
        return times.stream().filter(time -> time > nanos).findFirst().orElseThrow();
      }
    }

    int size() {
      synchronized (ids) {
        return ids.size();
      }
    }

    List<String> ids() {
      synchronized (ids) {
        return List.copyOf(ids);
      }
    }

    void end() throws InterruptedException {
      ended = true;
      join();
    }
  }
}
