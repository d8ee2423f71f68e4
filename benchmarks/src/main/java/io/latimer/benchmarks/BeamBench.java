package io.latimer.benchmarks;

import io.latimer.pipelines.flink.TranslationJob;
import io.latimer.pipelines.job.JobConfigReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Files translated by a job, and by a Beam pipeline on the Flink runner and on the DirectRunner
 * with the same stage, batches and parallelism. Prints sentences per second, with start-up
 * cancelled out by the difference of a long and a short run.
 *
 * <p>Arguments: the stage ({@code identity} or {@code translate}), the device, the parallelism, the
 * sentences of the short and of the long run; if you like, the largest number of records in a batch
 * (64). Run it in the project's root, after {@code ./latimer beam --help}, which builds the Beam
 * module.
 */
public final class BeamBench {
  private static final String MODEL = "examples/models/tatoeba-en-de.lmx";
  private static final Path BEAM = Path.of("pipelines/beam/target");
  private static final int REPEATS = 3;

  private final Path folder;
  private final String stage;
  private final String device;
  private final int parallelism;
  private final int batch;
  private int runs;

  /** Runs a folder of files into another one. */
  private interface Run {
    void execute(Path in, Path out) throws Exception;
  }

  private BeamBench(Path folder, StageRuns runs, int batch) {
    this.folder = folder;
    this.batch = batch;
    stage = runs.stage();
    device = runs.device();
    parallelism = runs.parallelism();
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws Exception {
    StageRuns runs = StageRuns.of(args.length == 6 ? Arrays.copyOf(args, 5) : args);
    int batch = args.length == 6 ? Integer.parseInt(args[5]) : 64;
    Path folder = Files.createTempDirectory("latimer-beam-bench-");
    BeamBench bench = new BeamBench(folder, runs, batch);
    bench.write("short", runs.few());
    bench.write("long", runs.many());
    bench.measure("job", runs, bench::job);
    bench.measure("Beam, FlinkRunner", runs, (in, out) -> bench.beam("FlinkRunner", in, out));
    bench.measure("Beam, DirectRunner", runs, (in, out) -> bench.beam("DirectRunner", in, out));
  }

  /** Writes a file of sentences for each subtask. */
  private void write(String name, int count) throws IOException {
    Path in = Files.createDirectories(folder.resolve(name));
    List<String> sentences = Files.readAllLines(Path.of("examples/feeds/everyday.en.txt"));
    for (int file = 0; file < parallelism; file++) {
      List<String> lines = new ArrayList<>();
      for (int i = file; i < count; i += parallelism) {
        lines.add(sentences.get(i % sentences.size()));
      }
      Files.write(in.resolve(file + ".txt"), lines);
    }
  }

  private void measure(String name, StageRuns runs, Run run) throws Exception {
    seconds("short", runs.few(), run); // warm
    for (int i = 0; i < REPEATS; i++) {
      runs.measure(name, (in, expected) -> seconds(in, expected, run));
    }
  }

  private double seconds(String in, int expected, Run run) throws Exception {
    Path out = Files.createDirectories(folder.resolve("out-" + runs++));
    long start = System.nanoTime();
    run.execute(folder.resolve(in), out);
    double seconds = (System.nanoTime() - start) / 1e9;
    long found = 0;
    try (Stream<Path> files = Files.walk(out)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        found += file.getFileName().toString().startsWith("dead") ? 0 : lines(file);
      }
    }
    if (found != expected) {
      throw new IllegalStateException(
          out + " has " + found + " lines, expected " + expected + "; see " + folder);
    }
    return seconds;
  }

  private static long lines(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.count();
    }
  }

  private void job(Path in, Path out) throws Exception {
    String options = stage.equals("identity") ? "" : "model: " + MODEL + ", ";
    String yaml =
        """
        name: bench
        source:
          files: {path: %s}
        batch: {max-records: %d, max-tokens: 1000000}
        stages: [%s: {%sdevice: %s}]
        sinks:
          - files: {path: %s, format: text}
        dead-letters: fail
        parallelism: %d
        checkpoints: {interval: 1s}
        """
            .formatted(in, batch, stage, options, device, out, parallelism);
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(parallelism, new Configuration());
    TranslationJob.build(env, JobConfigReader.read(yaml, "bench.yaml", Path.of(".")));
    env.execute();
  }

  private void beam(String runner, Path in, Path out) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--add-opens=java.base/java.util=ALL-UNNAMED");
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.add("-cp");
    command.add(BEAM.resolve("latimer-beam.jar") + File.pathSeparator + BEAM.resolve("lib/*"));
    command.add("io.latimer.pipelines.beam.TranslationPipeline");
    command.add("--runner=" + runner);
    boolean flink = runner.equals("FlinkRunner");
    command.add((flink ? "--parallelism=" : "--targetParallelism=") + parallelism);
    command.add("--stage=" + stage);
    if (!stage.equals("identity")) {
      command.add("--model=" + MODEL);
    }
    command.add(
        "--settings=device=" + device + ",batch.max-tokens=1000000,batch.max-records=" + batch);
    command.add("--input=" + in + "/*.txt");
    command.add("--output=" + out.resolve("part"));
    command.add("--deadLetters=" + out.resolve("dead"));
    Path log = folder.resolve("log");
    int exitCode =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start()
            .waitFor();
    if (exitCode != 0) {
      throw new IllegalStateException("Beam ended with " + exitCode + "; see " + log);
    }
  }
}
