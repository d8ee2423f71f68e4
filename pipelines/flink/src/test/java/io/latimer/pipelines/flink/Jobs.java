package io.latimer.pipelines.flink;

import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.client.ClientProperties;
import io.latimer.pipelines.index.IndexSettings;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.sink.Format;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.source.InputConfig;
import io.latimer.pipelines.source.SourceConfig;
import io.latimer.pipelines.stages.Stages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;

/** Jobs for the tests, and their output. */
public final class Jobs {
  private Jobs() {}

  public static JobConfig job(SourceConfig source, SinkConfig sink, SinkConfig deadLetters) {
    return job(source, sink, deadLetters, 1);
  }

  public static JobConfig job(
      SourceConfig source, SinkConfig sink, SinkConfig deadLetters, int parallelism) {
    return new JobConfig(
        "test",
        source,
        InputConfig.DEFAULTS,
        new JobConfig.EventTime(Duration.ofSeconds(1), Duration.ZERO, Duration.ofDays(1)),
        new JobConfig.Batching(
            new MicroBatcher.Limits(16, 4096, 20), 8, true, Duration.ofMinutes(1), 3, true),
        List.of(Stages.config("identity")),
        IndexSettings.DEFAULTS,
        List.of(sink),
        deadLetters,
        JobConfig.Control.NONE,
        new JobConfig.Checkpoints(Duration.ofMillis(100), Duration.ofMinutes(1), ""),
        new JobConfig.Restarts(3, Duration.ZERO, Duration.ofMinutes(10)),
        parallelism,
        128,
        ClientProperties.NONE,
        EnumSet.allOf(JobConfig.EngineKey.class));
  }

  /** The same job with unordered output. */
  static JobConfig unordered(JobConfig job) {
    JobConfig.Batching batching = job.batch();
    return with(
        job,
        job.name(),
        new JobConfig.Batching(
            batching.limits(),
            batching.inFlight(),
            false,
            batching.timeout(),
            batching.attempts(),
            batching.group()),
        job.restarts());
  }

  /** The same job, each of whose stages gathers its own batches. */
  static JobConfig ungrouped(JobConfig job) {
    JobConfig.Batching batching = job.batch();
    return with(
        job,
        job.name(),
        new JobConfig.Batching(
            batching.limits(),
            batching.inFlight(),
            batching.ordered(),
            batching.timeout(),
            batching.attempts(),
            false),
        job.restarts());
  }

  /** The same job with another name. */
  static JobConfig named(String name, JobConfig job) {
    return with(job, name, job.batch(), job.restarts());
  }

  /** The same job, whose batches may time out. */
  static JobConfig timingOut(JobConfig job, Duration timeout, int attempts, int restarts) {
    JobConfig.Batching batching = job.batch();
    return with(
        job,
        job.name(),
        new JobConfig.Batching(
            batching.limits(),
            batching.inFlight(),
            batching.ordered(),
            timeout,
            attempts,
            batching.group()),
        new JobConfig.Restarts(restarts, Duration.ZERO, job.restarts().quiet()));
  }

  private static JobConfig with(
      JobConfig job, String name, JobConfig.Batching batching, JobConfig.Restarts restarts) {
    return new JobConfig(
        name,
        job.source(),
        job.input(),
        job.eventTime(),
        batching,
        job.stages(),
        job.indexes(),
        job.sinks(),
        job.deadLetters(),
        job.control(),
        job.checkpoints(),
        restarts,
        job.parallelism(),
        job.maxParallelism(),
        job.engineSettings(),
        EnumSet.allOf(JobConfig.EngineKey.class));
  }

  public static final SinkConfig FAIL = new SinkConfig.Fail(JobConfig.DEAD_LETTERS);

  public static SinkConfig.Files text(Path folder) {
    return new SinkConfig.Files("files", folder.toUri().toString(), Format.TEXT);
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
