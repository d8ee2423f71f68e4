package io.latimer.benchmarks.gpu;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexFileWriter;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.Section;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import io.latimer.schemas.StageIndexVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A translation job whose model is swapped under a constant load: a broker in its own process,
 * {@code latimer run} in another, greedy search. Arguments: MODEL.lmx TEXT DEVICE SWAPS PARALLELISM
 * BATCH RATE, the last one in sentences per second.
 *
 * <p>The second model is a copy of the first under another version, which is loaded as any other.
 * Each swap goes back and forth between the two, some seconds after the one before. Prints one JSON
 * object per line, for each swap and over all of them: sentences per second and latencies in the
 * seconds before the command, while the model is loaded, and in the second around the status that
 * the whole job uses it. Latency is measured through Kafka up to the receiver, from when a sentence
 * was due; rates count what was received.
 */
public final class SwapBench extends ControlledJob {
  private static final int WARM_UP_SECONDS = 20;

  /** Between a swap and the next command. */
  private static final int BETWEEN_SECONDS = 6;

  /** Before a command, without what is left of the swap before. */
  private static final double BEFORE_SECONDS = 4;

  private final Path model;
  private final String device;
  private final int swaps;
  private final int batch;

  /** Something received, in nanoseconds: when it was due, and when it came. */
  private record Received(long due, long arrived, String version) {}

  /** A swap, in nanoseconds. */
  private record Swap(long sent, long inUse) {}

  private SwapBench(String... args) throws IOException {
    super(args[1], Integer.parseInt(args[4]), Double.parseDouble(args[6]));
    model = Path.of(args[0]).toAbsolutePath();
    device = args[2];
    swaps = Integer.parseInt(args[3]);
    batch = Integer.parseInt(args[5]);
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws Exception {
    if (args.length != 7) {
      System.err.println("usage: SwapBench MODEL.lmx TEXT DEVICE SWAPS PARALLELISM BATCH RATE");
      System.exit(2);
    }
    SwapBench bench = new SwapBench(args);
    String stage = "translate: {model: \"%s\", device: \"%s\", beam: 1, scores: false}";
    bench.run(bench.batch, stage.formatted(bench.model, bench.device), "");
  }

  private Path copy(Path folder) {
    Path copy = folder.resolve("copy.lmx");
    try (IndexFile file = IndexFile.open(model);
        IndexFileWriter out =
            IndexFileWriter.create(
                copy, TranslationModel.KIND.written(file.kindVersion()), "copy")) {
      for (Section section : file.sections()) {
        out.add(section.name(), file.section(section.name()));
      }
      out.commit();
    }
    return copy;
  }

  @Override
  void measure(
      KafkaProducer<byte[], byte[]> producer,
      KafkaConsumer<byte[], byte[]> consumer,
      PacedFeed feed,
      Path folder)
      throws Exception {
    Path copy = copy(folder);
    List<Received> received = new ArrayList<>();
    List<Swap> done = new ArrayList<>();
    long next = 0;
    long sent = 0;
    String command = "";
    // until the last swap's second is over
    while (done.size() < swaps || System.nanoTime() < next) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(5))) {
        long now = System.nanoTime();
        if (record.topic().equals(STATUS)) {
          if (isEnd(record.value(), command)) {
            done.add(new Swap(sent, now));
            next = now + Duration.ofSeconds(BETWEEN_SECONDS).toNanos();
            command = "";
          }
        } else {
          int number = ByteBuffer.wrap(record.key()).getInt();
          String version = TRANSLATIONS.decode(record.value()).getModelVersion();
          received.add(new Received(feed.due(number), now, version));
          feed.ready();
          next = next == 0 ? now + Duration.ofSeconds(WARM_UP_SECONDS).toNanos() : next;
        }
      }
      requireAlive();
      long now = System.nanoTime();
      if (next > 0 && now > next && command.isEmpty() && done.size() < swaps) {
        command = "swap-" + done.size();
        sent = now;
        Path to = done.size() % 2 == 0 ? copy : model;
        byte[] value = RecordCodec.of(ControlCommand.class).encode(swap(command, to));
        producer.send(new ProducerRecord<>(CONTROL, 0, null, value)).get();
      }
    }
    print(received, done);
  }

  private static ControlCommand swap(String id, Path to) {
    IndexRef index = IndexRefs.of(to);
    IndexReference reference =
        new IndexReference(index.kind(), index.uri().toString(), index.sha256(), index.version());
    return ControlCommand.newBuilder()
        .setId(id)
        .setJob("bench")
        .setTime(Instant.now())
        .setSwap(new StageIndexVersion("translate", reference, 0L, 0L))
        .build();
  }

  private static boolean isEnd(byte[] value, String command) throws RecordFormatException {
    ControlStatus status = status(value);
    return status.getCommand().equals(command)
        && status.getSubtask() < 0
        && status.getState().equals("in-use");
  }

  private void print(List<Received> received, List<Swap> done) {
    Set<String> versions = new HashSet<>();
    received.forEach(one -> versions.add(one.version()));
    if (versions.size() != 2) {
      throw new IllegalStateException("expected translations of two models, found " + versions);
    }
    Window before = new Window("before");
    Window loading = new Window("loading");
    Window around = new Window("second around");
    for (int i = 0; i < done.size(); i++) {
      Swap swap = done.get(i);
      Window[] own = {new Window("before"), new Window("loading"), new Window("second around")};
      own[0].add(received, swap.sent() - (long) (BEFORE_SECONDS * 1e9), swap.sent());
      own[1].add(received, swap.sent(), swap.inUse());
      own[2].add(received, swap.inUse() - 500_000_000, swap.inUse() + 500_000_000);
      for (Window one : own) {
        one.print(Integer.toString(i + 1));
      }
      before.add(own[0]);
      loading.add(own[1]);
      around.add(own[2]);
    }
    before.print("all");
    loading.print("all");
    around.print("all");
  }

  /** What was received in some time. */
  private final class Window {
    private final String name;
    private final List<Double> millis = new ArrayList<>();
    private double seconds;

    Window(String name) {
      this.name = name;
    }

    void add(List<Received> received, long from, long to) {
      seconds += (to - from) / 1e9;
      for (Received one : received) {
        if (one.arrived() >= from && one.arrived() < to) {
          millis.add((one.arrived() - one.due()) / 1e6);
        }
      }
    }

    void add(Window other) {
      seconds += other.seconds;
      millis.addAll(other.millis);
    }

    void print(String swap) {
      double[] sorted = sorted(millis);
      System.out.printf(
          Locale.ROOT,
          "{\"op\": \"swap\", \"swap\": \"%s\", \"time\": \"%s\", \"device\": \"%s\","
              + " \"parallelism\": %d, \"batch\": %d, \"rate\": %.0f, \"seconds\": %.2f,"
              + " \"sentences_per_s\": %.0f, \"p50_ms\": %.1f, \"p99_ms\": %.1f,"
              + " \"max_ms\": %.1f}%n",
          swap,
          name,
          device,
          parallelism,
          batch,
          perSecond,
          seconds,
          sorted.length / seconds,
          Spread.at(sorted, 0.5),
          Spread.at(sorted, 0.99),
          Spread.at(sorted, 1));
    }
  }
}
