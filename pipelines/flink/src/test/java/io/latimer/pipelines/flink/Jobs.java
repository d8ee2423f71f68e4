package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Jobs for the tests, and their output. */
public final class Jobs {
  private Jobs() {}

  /** A dead letter fails the job. */
  public static final String FAIL = "fail: {}";

  public static JobConfig job(String source, String sink, String deadLetters) {
    return job(source, sink, deadLetters, 1);
  }

  /** A job with a source and sinks as in a job file, each a kind with its keys. */
  public static JobConfig job(String source, String sink, String deadLetters, int parallelism) {
    return read(
        """
        name: test
        source: {%s}
        event-time: {out-of-orderness: 1s, idleness: 0, max-ahead: 1d}
        batch: {max-records: 16, max-tokens: 4096, max-wait: 20ms, in-flight: 8, timeout: 1min}
        stages: [identity]
        sinks: [{%s}]
        dead-letters: {%s}
        parallelism: %d
        max-parallelism: 128
        checkpoints: {interval: 100ms, timeout: 1min}
        restarts: {attempts: 3, delay: 0, quiet: 10min}
        """
            .formatted(source, sink, deadLetters, parallelism));
  }

  private static JobConfig read(String yaml) {
    return JobConfigReader.read(yaml, "test", Path.of("/"));
  }

  /** The same job, but for a part of its file. */
  static JobConfig with(JobConfig job, String part, String other) {
    String yaml = job.toYaml();
    assertThat(yaml).containsOnlyOnce(part);
    return read(yaml.replace(part, other));
  }

  /** The same job with unordered output. */
  static JobConfig unordered(JobConfig job) {
    return with(job, "ordered: true", "ordered: false");
  }

  /** The same job, each of whose stages gathers its own batches. */
  static JobConfig ungrouped(JobConfig job) {
    return with(job, "group: true", "group: false");
  }

  /** The same job with another name. */
  static JobConfig named(String name, JobConfig job) {
    return with(job, "name: test\n", "name: " + name + "\n");
  }

  /** The same job, whose batches may time out. */
  static JobConfig timingOut(JobConfig job, Duration timeout, int attempts, int restarts) {
    return with(
        with(
            job,
            "timeout: 1min\n  attempts: 3\n",
            "timeout: " + timeout.toMillis() + "ms\n  attempts: " + attempts + "\n"),
        "attempts: 3\n  delay",
        "attempts: " + restarts + "\n  delay");
  }

  /** A source of a file or folder. */
  public static String from(Path path) {
    return from(path, "0");
  }

  /** A source of a folder that is watched. */
  public static String from(Path path, String watch) {
    return "files: {path: '" + path.toUri() + "', watch: " + watch + "}";
  }

  static String list(List<String> lines) {
    return "list: {lines: ['" + String.join("', '", lines) + "']}";
  }

  public static String socket(String host, int port) {
    return "socket: {host: '" + host + "', port: " + port + "}";
  }

  public static String text(Path folder) {
    return "files: {path: '" + folder.toUri() + "', format: text}";
  }

  public static String avro(Path folder) {
    return "files: {path: '" + folder.toUri() + "', format: avro}";
  }

  public static List<String> numbered(int count) {
    return Stream.iterate(0, i -> i + 1).limit(count).map(i -> "sentence " + i).toList();
  }

  /** The finished files of a folder; uncommitted ones are hidden. */
  public static List<Path> files(Path folder) {
    if (!Files.exists(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> !file.getFileName().toString().startsWith("."))
          .sorted(Comparator.comparing(Path::getParent).thenComparingInt(Jobs::part))
          .toList();
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof NoSuchFileException) { // the job just committed a file
        return files(folder);
      }
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A sink numbers its files, but not so that names would be in the order of the numbers. */
  private static int part(Path file) {
    String name = file.getFileName().toString();
    return Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
  }

  public static List<String> lines(Path folder) {
    List<String> lines = new ArrayList<>();
    for (Path file : files(folder)) {
      try {
        lines.addAll(Files.readAllLines(file));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return lines;
  }
}
