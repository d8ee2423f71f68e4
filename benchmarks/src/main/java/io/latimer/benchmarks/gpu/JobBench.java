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
 * A translation job beside the operator alone, in one run, on the same device, sentences and sizes
 * of batches: a broker in a process of its own, {@code latimer run} in another, greedy search.
 * Arguments: MODEL.lmx TEXT DEVICE RUNS PARALLELISM BATCH IN-FLIGHT PRECISION (float32, float16,
 * bfloat16, or auto for what is best on the device).
 *
 * <p>One JSON object a line: one operator from text to text, then PARALLELISM of them side by side
 * as the job has them, each with as many calls at once as are of use to it ({@link
 * io.latimer.operators.BatchOperator#inFlight}: two on a GPU, one on the CPU); the job with as many
 * records as it takes, the middle one of the runs after one of warm-up (RUNS is odd, so that its
 * rate and its latencies are those of one run); then the job at 10, 50 and 90 % of that. Latency is
 * that through Kafka up to receiving: at those loads from when a record was due, in the saturated
 * run from sending it.
 *
 * <p>{@code in_flight} counts differently in the two: in a line of the operator it is the batches
 * that are worked on, of all operators together. In a line of the job it is {@code batch.in-flight}
 * of each subtask: of these as many are worked on as its operator takes at once, and the others
 * wait, to be worked on or for the subtask to write them.
 *
 * <p>Some translations of the job are compared with the operator's own of other batches. In float32
 * a batch changes no token, so that one that differs fails the bench; with 16 bits it may tip where
 * two words are nearly equal, and they are counted.
 */
public final class JobBench {
  /** Batches of each thread before the operator alone is measured. */
  private static final int WARM_UP = 16;

  private static final int OPERATOR_SECONDS = 2;

  /** How much is sent as fast as it is taken: what the operator alone does in so many seconds. */
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

  /** The numbers that the device computes with. */
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
              + ": give an odd number, since what is printed of the job is its middle run, with that"
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

  /** Sentences a second of as many operators as the job has subtasks; prints one's, too. */
  private double operators(Map<String, String> expected) {
    // as a job has them: one for each subtask, and one copy of the model
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

  /** Sentences a second of operators, each with as many calls at once as are of use to it. */
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
              + " translations of the job are not the operator's own: in float32 no batch may"
              + " change one");
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

  /** Starts the job in a process of its own, with this one's options and class path. */
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
