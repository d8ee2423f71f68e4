package io.latimer.benchmarks.gpu;

import io.latimer.kafka.EmbeddedKafka;
import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.NmtPrecision;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.apache.flink.util.FileUtils;

/**
 * A translation job compared with the operator alone, in one run, on the same device, sentences and
 * batch sizes: a broker in its own process, {@code latimer run} in another, greedy search.
 * Arguments: MODEL.lmx TEXT DEVICE RUNS PARALLELISM BATCH IN-FLIGHT PRECISION (float32, float16,
 * bfloat16, or auto for the device's default).
 *
 * <p>Prints one JSON object per line: one operator from text to text, then PARALLELISM of them
 * concurrently as in the job, each with as many concurrent calls as keep it busy ({@link
 * io.latimer.operators.BatchOperator#inFlight}: eight on a GPU, one on the CPU); the job at
 * saturation, as the median run after a warm-up (RUNS is odd, so that rate and latencies come from
 * one run); then the job at 10, 50 and 90 % of that rate. Latency is measured through Kafka up to
 * the receiver: at those loads from when a record was due, at saturation from sending it.
 *
 * <p>{@code in_flight} differs between the two: in a line of the operator, it is the number of
 * batches being processed by all operators together. In a line of the job, it is {@code
 * batch.in-flight} per subtask: of these, the operator processes as many as its in-flight number,
 * and the others wait to be processed or to be written by the subtask.
 *
 * <p>Some of the job's translations are compared with those of the operator in other batches. In
 * float32 tokens do not depend on the batch, so any difference fails the bench; in 16 bits near
 * ties may resolve differently, and the differences are counted.
 */
public final class JobBench {
  /** Batches per thread before the operator alone is measured. */
  private static final int WARM_UP = 16;

  private static final int OPERATOR_SECONDS = 2;

  /** Size of a saturated run: the work of the operator alone in this many seconds. */
  private static final int SATURATED_SECONDS = 4;

  private static final int LOAD_SECONDS = 10;

  private final Path model;
  private final List<String> lines;
  private final String device;
  private final int runs;
  private final int parallelism;
  private final int batch;
  private final int inFlight;
  private final TranslateOptions options;

  /** The precision of the computation. */
  private final NmtPrecision precision;

  private JobBench(
      Path model,
      List<String> lines,
      String device,
      int runs,
      int parallelism,
      int batch,
      int inFlight,
      Optional<NmtPrecision> precision) {
    this.model = model;
    this.lines = lines;
    this.device = device;
    this.runs = runs;
    this.parallelism = parallelism;
    this.batch = batch;
    this.inFlight = inFlight;
    this.options =
        TranslateOptions.of(DecodeOptions.greedy().withScores(false)).withPrecision(precision);
    this.precision = options.precisionOn(Device.parse(device));
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws Exception {
    if (args.length != 8) {
      System.err.println(
          "usage: JobBench MODEL.lmx TEXT DEVICE RUNS PARALLELISM BATCH IN-FLIGHT PRECISION");
      System.exit(2);
    }
    int runs = Integer.parseInt(args[3]);
    if (runs < 1 || runs % 2 == 0) {
      System.err.println(
          "RUNS is "
              + runs
              + ": use an odd number, because the job's output is its median run, with that"
              + " run's latencies");
      System.exit(2);
    }
    List<String> lines =
        Files.readAllLines(Path.of(args[1])).stream().filter(line -> !line.isBlank()).toList();
    new JobBench(
            Path.of(args[0]).toAbsolutePath(),
            lines,
            args[2],
            runs,
            Integer.parseInt(args[4]),
            Integer.parseInt(args[5]),
            Integer.parseInt(args[6]),
            NmtPrecision.parse(args[7]))
        .run();
  }

  private void run() throws Exception {
    Map<String, String> expected = new HashMap<>();
    double operator = operators(expected);
    Path folder = Files.createTempDirectory("latimer-bench-");
    try (EmbeddedKafka broker = EmbeddedKafka.start()) {
      broker.createTopic(JobFeed.IN, parallelism);
      broker.createTopic(JobFeed.OUT, parallelism);
      Process job = start(broker, folder);
      try (JobFeed feed =
          new JobFeed(broker.bootstrapServers(), parallelism, lines, expected, job)) {
        job(feed, operator);
      } finally {
        job.destroy();
        job.waitFor();
      }
    } finally {
      FileUtils.deleteDirectory(folder.toFile());
    }
  }

  /**
   * Sentences per second of as many operators as the job has subtasks; also prints those of one.
   */
  private double operators(Map<String, String> expected) {
    // as in a job: one per subtask, with one copy of the model
    List<Translate> all = new ArrayList<>();
    try {
      for (int i = 0; i < parallelism; i++) {
        all.add(Translate.opener(options).open(model, Device.parse(device)));
      }
      for (int from = 0; from < lines.size(); from += batch) {
        List<String> some = lines.subList(from, Math.min(lines.size(), from + batch));
        List<String> texts =
            all.get(0).apply(some).stream().map(result -> result.orElseThrow().text()).toList();
        IntStream.range(0, some.size()).forEach(i -> expected.put(some.get(i), texts.get(i)));
      }
      operator(all.subList(0, 1));
      return operator(all);
    } finally {
      all.forEach(Translate::close);
    }
  }

  /** Sentences per second of operators, each with as many concurrent calls as keep it busy. */
  private double operator(List<Translate> of) {
    int atOnce = of.get(0).inFlight();
    int calls = of.size() * atOnce;
    BlockingQueue<Translate> free = new LinkedBlockingQueue<>();
    for (int i = 0; i < atOnce; i++) {
      free.addAll(of);
    }
    int batches = calls * WARM_UP;
    double[] seconds = new double[runs];
    for (int run = -1; run < runs; run++) {
      double took = InFlight.seconds(calls, batches, b -> apply(free, b));
      if (run >= 0) {
        seconds[run] = took;
      } else {
        batches = (int) Math.max(batches, OPERATOR_SECONDS * batches / took);
      }
    }
    Spread perSecond = Spread.of(seconds).rateOf((double) batches * batch);
    System.out.printf(
        Locale.ROOT,
        "{\"op\": \"job\", \"level\": \"operator\", \"batch\": %d, \"in_flight\": %d,"
            + " \"precision\": \"%s\", %s, \"runs\": %d}%n",
        batch,
        calls,
        precision,
        perSecond.json("sentences_per_s", 0),
        runs);
    return perSecond.median();
  }

  private void apply(BlockingQueue<Translate> free, int place) {
    int from = place * batch;
    List<String> some =
        IntStream.range(from, from + batch).mapToObj(i -> lines.get(i % lines.size())).toList();
    // never empty: there are as many as threads
    Translate translate = free.remove();
    translate.apply(some).forEach(result -> result.orElseThrow());
    free.add(translate);
  }

  private void job(JobFeed feed, double operator) throws Exception {
    int records = (int) (operator * SATURATED_SECONDS);
    JobFeed.Measured unused = measure(feed, records, 0);
    List<JobFeed.Measured> measured = new ArrayList<>();
    for (int run = 0; run < runs; run++) {
      measured.add(measure(feed, records, 0));
    }
    measured.sort(Comparator.comparingDouble(JobFeed.Measured::perSecond));
    JobFeed.Measured saturated = measured.get(runs / 2);
    print("saturated", saturated, operator);
    for (int percent : new int[] {10, 50, 90}) {
      double perSecond = saturated.perSecond() * percent / 100;
      int some = (int) (perSecond * LOAD_SECONDS);
      print(percent + " %", measure(feed, some, perSecond), operator);
    }
  }

  private JobFeed.Measured measure(JobFeed feed, int records, double perSecond) throws Exception {
    JobFeed.Measured measured = feed.run(records, perSecond);
    if (precision == NmtPrecision.FLOAT32 && measured.different() > 0) {
      throw new IllegalStateException(
          measured.different()
              + " of "
              + measured.compared()
              + " translations of the job differ from the operator's: in float32 they must not"
              + " depend on the batch");
    }
    return measured;
  }

  private void print(String load, JobFeed.Measured measured, double operator) {
    System.out.printf(
        Locale.ROOT,
        "{\"op\": \"job\", \"level\": \"job\", \"parallelism\": %d, \"batch\": %d, \"in_flight\":"
            + " %d, \"precision\": \"%s\", \"load\": \"%s\", \"sentences_per_s\": %.0f,"
            + " \"of_operator\": %.3f, \"p50_ms\": %.1f, \"p99_ms\": %.1f, \"records\": %d,"
            + " \"compared\": %d, \"different\": %d}%n",
        parallelism,
        batch,
        inFlight,
        precision,
        load,
        measured.perSecond(),
        measured.perSecond() / operator,
        measured.p50Millis(),
        measured.p99Millis(),
        measured.records(),
        measured.compared(),
        measured.different());
  }

  /** Starts the job in its own process, with this one's options and class path. */
  private Process start(EmbeddedKafka broker, Path folder) throws IOException {
    Path file = folder.resolve("job.yaml");
    Files.writeString(
        file,
        """
        name: bench
        parallelism: %4$d
        source:
          kafka: {bootstrap-servers: "%1$s", topics: [%6$s], start: earliest}
        batch: {max-records: %5$d, max-tokens: 1000000, max-wait: 5ms, in-flight: %8$d}
        stages:
          - translate: {model: "%2$s", device: "%3$s", precision: %10$s, beam: 1, scores: false}
        sinks:
          - kafka: {bootstrap-servers: "%1$s", topic: %7$s, delivery: at-least-once}
        dead-letters: fail
        checkpoints: {interval: 5s, directory: "%9$s"}
        """
            .formatted(
                broker.bootstrapServers(),
                model,
                device,
                parallelism,
                batch,
                JobFeed.IN,
                JobFeed.OUT,
                inFlight,
                folder.resolve("checkpoints").toUri(),
                options.precision().map(NmtPrecision::toString).orElse("auto")));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of("io.latimer.cli.Latimer", "run", "--config", file.toString()));
    return new ProcessBuilder(command)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
