package io.latimer.benchmarks.gpu;

import io.latimer.kafka.EmbeddedKafka;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.Devices;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.flink.TranslationJob;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.Stage;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.SourcePosition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.apache.flink.util.FileUtils;

/**
 * A job compared with its stages alone, in one run, on the same devices, sentences and batch sizes:
 * a broker in its own process, {@code latimer run} in another. Arguments: STAGES.yaml TEXT RUNS
 * PARALLELISM BATCH IN-FLIGHT EXACT. STAGES.yaml is the section {@code stages} of a job file; they
 * must all process batches.
 *
 * <p>Prints one JSON object per line: one group of the stages, from record to record without Flink,
 * then PARALLELISM of them at once as in the job, each with as many concurrent calls as keep it
 * busy ({@link StageGroup#inFlight}); the job at saturation, as the median run after a warm-up
 * (RUNS is odd, so that rate and latencies come from one run); then the job at 10, 50 and 90 % of
 * that rate. Latency is measured through Kafka up to the receiver: at those loads from when a
 * record was due, at saturation from sending it. {@code gpu_busy} is the share of the time in which
 * a kernel ran, by the driver's own samples, the mean of the {@code gpus} that worked; null without
 * GPUs. A line {@code threads} has the core time of the job's process in its saturated runs, by
 * groups of threads.
 *
 * <p>{@code in_flight} differs between the two: in a line of the group, it is the number of batches
 * being processed by all groups together. In a line of the job, it is {@code batch.in-flight} per
 * subtask and stage: of these, a stage processes as many as its in-flight number, and the others
 * wait to be processed or to be written by the subtask.
 *
 * <p>Some of the job's translations are compared with those of the group in other batches. With
 * EXACT, a difference fails the bench: in float32 tokens do not depend on the batch. In 16 bits
 * near ties may resolve differently, and the differences are counted.
 */
public final class JobBench {
  /** Batches per thread before the stages alone are measured. */
  private static final int WARM_UP = 16;

  private static final int GROUP_SECONDS = 2;

  /** Size of a saturated run: the work of the stages alone in this many seconds. */
  private static final int SATURATED_SECONDS = 15;

  private static final int LOAD_SECONDS = 10;

  private final Path stages;
  private final List<String> lines;
  private final int runs;
  private final int parallelism;
  private final int batch;
  private final int inFlight;
  private final boolean exact;
  private final GpuUsage gpus = new GpuUsage();

  private JobBench(
      Path stages,
      List<String> lines,
      int runs,
      int parallelism,
      int batch,
      int inFlight,
      boolean exact) {
    this.stages = stages;
    this.lines = lines;
    this.runs = runs;
    this.parallelism = parallelism;
    this.batch = batch;
    this.inFlight = inFlight;
    this.exact = exact;
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws Exception {
    if (args.length != 7) {
      System.err.println(
          "usage: JobBench STAGES.yaml TEXT RUNS PARALLELISM BATCH IN-FLIGHT true|false");
      System.exit(2);
    }
    int runs = Integer.parseInt(args[2]);
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
            runs,
            Integer.parseInt(args[3]),
            Integer.parseInt(args[4]),
            Integer.parseInt(args[5]),
            Boolean.parseBoolean(args[6]))
        .run();
  }

  private void run() throws Exception {
    Map<String, String> expected = new HashMap<>();
    Path folder = Files.createTempDirectory("latimer-bench-");
    try (EmbeddedKafka broker = EmbeddedKafka.start();
        gpus) {
      JobConfig config = config(broker, folder);
      double alone = groups(config, expected);
      broker.createTopic(JobFeed.IN, parallelism);
      broker.createTopic(JobFeed.OUT, parallelism);
      Process job = start(config, folder);
      try (JobFeed feed =
          new JobFeed(broker.bootstrapServers(), parallelism, lines, expected, job)) {
        job(feed, alone, job.pid());
      } finally {
        job.destroy();
        job.waitFor();
      }
    } finally {
      FileUtils.deleteDirectory(folder.toFile());
    }
  }

  /**
   * Sentences per second of as many groups as the job has subtasks; also prints those of one.
   *
   * @param expected takes the translations
   */
  private double groups(JobConfig config, Map<String, String> expected) {
    // as in a job: one per subtask, with one copy of each index
    List<StageGroup> all = new ArrayList<>();
    try {
      for (int i = 0; i < parallelism; i++) {
        all.add(group(config, i));
      }
      List<Envelope> records = records(config);
      for (int from = 0; from < records.size(); from += batch) {
        List<Envelope> some = records.subList(from, Math.min(records.size(), from + batch));
        for (Envelope done : apply(all.get(0), some)) {
          expected.put(done.getSentence().getText(), done.getTranslation().getText());
        }
      }
      group(all.subList(0, 1), records);
      return group(all, records);
    } finally {
      all.forEach(StageGroup::close);
    }
  }

  /** The group of a subtask, on the GPU that the job would give it. */
  private static StageGroup group(JobConfig config, int subtask) {
    List<BatchStage> members = new ArrayList<>();
    for (Stage stage : TranslationJob.newStages(config)) {
      if (!(stage instanceof BatchStage member)) {
        throw new IllegalArgumentException("stage " + stage.name() + " makes tables");
      }
      members.add(member);
    }
    for (BatchStage member : members) {
      Device device = Device.parse(member.device(), () -> gpus(subtask));
      member.open(device, ResidentIndexes.process());
    }
    return new StageGroup(members, Thread::new);
  }

  /** All GPUs, in turns the first. */
  private static List<Integer> gpus(int subtask) {
    List<Integer> gpus = new ArrayList<>(Devices.shown());
    if (!gpus.isEmpty()) {
      Collections.rotate(gpus, -subtask);
    }
    return gpus;
  }

  private List<Envelope> records(JobConfig config) {
    SentenceReader reader = new SentenceReader(config.input(), config.eventTime().maxAhead());
    List<Envelope> records = new ArrayList<>();
    for (String line : lines) {
      byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
      SourcePosition origin =
          new SourcePosition(JobFeed.IN, 0, (long) records.size(), Instant.now());
      records.add(reader.read(bytes, null, List.of(), origin));
    }
    return records;
  }

  /** Sentences per second of groups, each with as many concurrent calls as keep it busy. */
  private double group(List<StageGroup> of, List<Envelope> records) {
    int atOnce = of.get(0).inFlight();
    int calls = of.size() * atOnce;
    BlockingQueue<StageGroup> free = new LinkedBlockingQueue<>();
    for (int i = 0; i < atOnce; i++) {
      free.addAll(of);
    }
    int batches = calls * WARM_UP;
    double[] seconds = new double[runs];
    for (int run = -1; run < runs; run++) {
      if (run == 0) {
        gpus.start();
      }
      double took = InFlight.seconds(calls, batches, b -> apply(free, records, b));
      if (run >= 0) {
        seconds[run] = took;
      } else {
        batches = (int) Math.max(batches, GROUP_SECONDS * batches / took);
      }
    }
    Spread perSecond = Spread.of(seconds).rateOf((double) batches * batch);
    System.out.printf(
        Locale.ROOT,
        "{\"op\": \"job\", \"level\": \"group\", \"batch\": %d, \"in_flight\": %d, %s,"
            + " %s, \"runs\": %d}%n",
        batch,
        calls,
        perSecond.json("sentences_per_s", 0),
        gpus.stop(),
        runs);
    return perSecond.median();
  }

  private void apply(BlockingQueue<StageGroup> free, List<Envelope> records, int place) {
    int from = place * batch;
    List<Envelope> some =
        IntStream.range(from, from + batch).mapToObj(i -> records.get(i % records.size())).toList();
    // never empty: there are as many as threads
    StageGroup group = free.remove();
    List<Envelope> unused = apply(group, some);
    free.add(group);
  }

  private static List<Envelope> apply(StageGroup group, List<Envelope> records) {
    List<Envelope> done = group.call(records, 0).run();
    for (Envelope record : done) {
      if (record.getFailure() != null) {
        throw new IllegalStateException(
            "a record failed: " + record.getFailure().getErrorMessage());
      }
      if (record.getTranslation() == null) {
        throw new IllegalStateException("the stages left a record without a translation");
      }
    }
    return done;
  }

  private void job(JobFeed feed, double alone, long pid) throws Exception {
    int records = (int) (alone * SATURATED_SECONDS);
    JobFeed.Measured unused = measure(feed, records, 0);
    List<JobFeed.Measured> measured = new ArrayList<>();
    gpus.start();
    ThreadTimes before = ThreadTimes.of(pid);
    for (int run = 0; run < runs; run++) {
      measured.add(measure(feed, records, 0));
    }
    System.out.printf(
        "{\"op\": \"job\", \"level\": \"threads\", \"core_us_per_record\": {%s}}%n",
        ThreadTimes.of(pid).json(before, runs * records));
    measured.sort(Comparator.comparingDouble(JobFeed.Measured::perSecond));
    JobFeed.Measured saturated = measured.get(runs / 2);
    print("saturated", saturated, alone, gpus.stop());
    for (int percent : new int[] {10, 50, 90}) {
      double perSecond = saturated.perSecond() * percent / 100;
      int some = (int) (perSecond * LOAD_SECONDS);
      gpus.start();
      JobFeed.Measured one = measure(feed, some, perSecond);
      print(percent + " %", one, alone, gpus.stop());
    }
  }

  private JobFeed.Measured measure(JobFeed feed, int records, double perSecond) throws Exception {
    JobFeed.Measured measured = feed.run(records, perSecond);
    if (exact && measured.different() > 0) {
      throw new IllegalStateException(
          measured.different()
              + " of "
              + measured.compared()
              + " translations of the job differ from those of the stages alone");
    }
    return measured;
  }

  private void print(String load, JobFeed.Measured measured, double alone, String gpuBusy) {
    System.out.printf(
        Locale.ROOT,
        "{\"op\": \"job\", \"level\": \"job\", \"parallelism\": %d, \"batch\": %d, \"in_flight\":"
            + " %d, \"load\": \"%s\", \"sentences_per_s\": %.0f, \"of_group\": %.3f, \"p50_ms\":"
            + " %.1f, \"p99_ms\": %.1f, %s, \"records\": %d, \"compared\": %d,"
            + " \"different\": %d}%n",
        parallelism,
        batch,
        inFlight,
        load,
        measured.perSecond(),
        measured.perSecond() / alone,
        measured.p50Millis(),
        measured.p99Millis(),
        gpuBusy,
        measured.records(),
        measured.compared(),
        measured.different());
  }

  private JobConfig config(EmbeddedKafka broker, Path folder) throws IOException {
    String yaml =
        """
        name: bench
        parallelism: %2$d
        source:
          kafka: {bootstrap-servers: "%1$s", topics: [%4$s], start: earliest}
        batch: {max-records: %3$d, max-tokens: 1000000, max-wait: 5ms, in-flight: %6$d}
        sinks:
          - kafka: {bootstrap-servers: "%1$s", topic: %5$s, delivery: at-least-once}
        dead-letters: fail
        checkpoints: {interval: 5s, directory: "%7$s"}
        """
            .formatted(
                broker.bootstrapServers(),
                parallelism,
                batch,
                JobFeed.IN,
                JobFeed.OUT,
                inFlight,
                folder.resolve("checkpoints").toUri());
    return JobConfigReader.read(
        yaml + Files.readString(stages), stages.toString(), stages.getParent());
  }

  /** Starts the job in its own process, with this one's options and class path. */
  private static Process start(JobConfig config, Path folder) throws IOException {
    Path file = folder.resolve("job.yaml");
    Files.writeString(file, config.toYaml());
    return JobProcess.start(file);
  }
}
