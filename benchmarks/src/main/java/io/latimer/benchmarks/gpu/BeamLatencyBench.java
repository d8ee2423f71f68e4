package io.latimer.benchmarks.gpu;

import io.latimer.kafka.EmbeddedKafka;
import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Time from when a sentence is due in a topic to when its translation arrives in another, at a
 * fixed rate: in a job, and in the Beam pipeline of {@code latimer beam translate} on the Flink
 * runner, with its defaults and with bundles of 100 ms.
 *
 * <p>Arguments: the device, the parallelism, the sentences per second and the seconds. Run it in
 * the project's root, after {@code ./latimer beam --help}, which builds the Beam module.
 */
public final class BeamLatencyBench {
  private static final Path MODEL = Path.of("examples/models/tatoeba-en-de.lmx");
  private static final Path FEED = Path.of("examples/feeds/everyday.en.txt");
  private static final Path BEAM = Path.of("pipelines/beam/target");
  private static final String LOG = "classpath:io/latimer/pipelines/beam/program-log4j2.properties";

  private final String device;
  private final int parallelism;
  private final double perSecond;
  private final int records;
  private final List<String> lines;
  private final Map<String, String> expected = new HashMap<>();

  /** Starts a process that translates topic {@link JobFeed#IN} into {@link JobFeed#OUT}. */
  private interface Start {
    Process start(String servers, Path folder) throws IOException;
  }

  private BeamLatencyBench(String device, int parallelism, double perSecond, int seconds)
      throws IOException {
    this.device = device;
    this.parallelism = parallelism;
    this.perSecond = perSecond;
    this.records = (int) (perSecond * seconds);
    this.lines = Files.readAllLines(FEED).stream().filter(line -> !line.isBlank()).toList();
    try (Translate translate =
        Translate.opener(TranslateOptions.DEFAULTS).open(MODEL, Device.CPU)) {
      for (String line : lines) {
        expected.put(line, translate.apply(List.of(line)).get(0).orElseThrow().text());
      }
    }
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws Exception {
    if (args.length != 4) {
      throw new IllegalArgumentException(
          "expected 4 arguments: a device, the parallelism, the sentences per second and the"
              + " seconds; found "
              + Arrays.toString(args));
    }
    BeamLatencyBench bench =
        new BeamLatencyBench(
            args[0],
            Integer.parseInt(args[1]),
            Double.parseDouble(args[2]),
            Integer.parseInt(args[3]));
    bench.measure("job", bench::job);
    bench.measure("Beam", bench::beam);
    bench.measure(
        "Beam, bundles of 100 ms",
        (servers, folder) -> bench.beam(servers, folder, "--maxBundleTimeMills=100"));
  }

  private void measure(String name, Start start) throws Exception {
    Path folder = Files.createTempDirectory("latimer-beam-latency-");
    try (EmbeddedKafka broker = EmbeddedKafka.start()) {
      for (String topic : List.of(JobFeed.IN, JobFeed.OUT, "dead")) {
        broker.createTopic(topic, parallelism);
      }
      Process process = start.start(broker.bootstrapServers(), folder);
      try (JobFeed feed =
          new JobFeed(broker.bootstrapServers(), parallelism, lines, expected, process)) {
        JobFeed.Measured unused = feed.run(records / 2 + 1, perSecond); // starts, and warms up
        JobFeed.Measured one = feed.run(records, perSecond);
        System.out.printf(
            Locale.ROOT,
            "%s: %.0f sentences/s, p50 %.0f ms, p99 %.0f ms, %d of %d translations differ%n",
            name,
            one.perSecond(),
            one.p50Millis(),
            one.p99Millis(),
            one.different(),
            one.compared());
      } finally {
        process.destroy();
        process.waitFor();
      }
    }
  }

  private Process job(String servers, Path folder) throws IOException {
    String yaml =
        """
        name: bench
        parallelism: %d
        source:
          kafka: {bootstrap-servers: "%s", topics: [%s], start: earliest}
        stages:
          - translate: {model: %s, device: %s}
        sinks:
          - kafka: {bootstrap-servers: "%s", topic: %s, delivery: at-least-once}
        dead-letters: fail
        checkpoints: {interval: 5s, directory: "%s"}
        """
            .formatted(
                parallelism,
                servers,
                JobFeed.IN,
                MODEL.toAbsolutePath(),
                device,
                servers,
                JobFeed.OUT,
                folder.resolve("checkpoints").toUri());
    return JobProcess.start(Files.writeString(folder.resolve("job.yaml"), yaml));
  }

  private Process beam(String servers, Path folder, String... more) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--add-opens=java.base/java.util=ALL-UNNAMED");
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.add("-Dlog4j2.configurationFile=" + LOG);
    command.add("-Dlatimer.log=" + folder.resolve("log"));
    command.add("-cp");
    command.add(BEAM.resolve("latimer-beam.jar") + File.pathSeparator + BEAM.resolve("lib/*"));
    command.add("io.latimer.pipelines.beam.TranslateProgram");
    command.add("--runner=FlinkRunner");
    command.add("--parallelism=" + parallelism);
    command.add("--checkpointingInterval=5000");
    command.add("--model=" + MODEL);
    command.add("--settings=device=" + device);
    command.add("--bootstrapServers=" + servers);
    command.add("--inputTopics=" + JobFeed.IN);
    command.add("--outputTopic=" + JobFeed.OUT);
    command.add("--deadLetterTopic=dead");
    command.add("--format=AVRO");
    command.addAll(List.of(more));
    return new ProcessBuilder(command)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
