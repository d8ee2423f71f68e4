package io.latimer.pipelines.job;

import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.client.ClientProperties;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.sink.Sinks;
import io.latimer.pipelines.source.InputConfig;
import io.latimer.pipelines.source.SourceConfig;
import io.latimer.pipelines.stage.Stage;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.pipelines.stages.Stages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A job: a source, a list of stages, sinks, and where dead letters go. {@link JobConfigReader}
 * makes it of a job file, and {@link #toYaml} makes the file again.
 *
 * @param name the job's name; also the prefix of its Kafka transactions and the default of its
 *     consumer group, so it must be unique among the jobs of a Kafka cluster
 * @param source where sentences come from
 * @param input how the bytes of the source become sentences
 * @param eventTime how far event time may lag
 * @param batch how micro-batches are made
 * @param stages the steps, in order; at least one, with different names
 * @param sinks where records go that have passed all stages, all of them to each; at least one
 *     where no stage has sinks, with different names
 * @param deadLetters where records go that cannot be processed
 * @param checkpoints when and where state is kept
 * @param restarts what follows a failure
 * @param parallelism number of parallel subtasks, 1 or more
 * @param maxParallelism the most that the job can ever be scaled to, 1 to 32768; part of its state
 * @param engineSettings the engine's own settings, passed on as they are
 */
public record JobConfig(
    String name,
    SourceConfig source,
    InputConfig input,
    EventTime eventTime,
    Batching batch,
    List<StageConfig> stages,
    List<SinkConfig> sinks,
    SinkConfig deadLetters,
    Checkpoints checkpoints,
    Restarts restarts,
    int parallelism,
    int maxParallelism,
    ClientProperties engineSettings) {

  /** Name of the sink that takes the dead letters. */
  public static final String DEAD_LETTERS = "dead-letters";

  public JobConfig {
    stages = List.copyOf(stages);
    sinks = List.copyOf(sinks);
    if (name.isBlank()) {
      throw new IllegalArgumentException("name: a job needs a name");
    }
    if (stages.isEmpty()) {
      throw new IllegalArgumentException(
          "stages: a job needs at least one stage, such as translate");
    }
    List<SinkConfig> tableSinks = new ArrayList<>();
    for (StageConfig stage : stages) {
      List<SinkConfig> own = Sinks.ofTables(stage.settings(), stage.name(), name);
      requireUnique("stages", own.stream().map(SinkConfig::name).toList());
      tableSinks.addAll(own);
    }
    if (sinks.isEmpty() && tableSinks.isEmpty()) {
      throw new IllegalArgumentException("sinks: a job needs at least one sink, such as print");
    }
    requireUnique("stages", stages.stream().map(StageConfig::name).toList());
    Stages.checkTogether(stages);
    requireUnique("sinks", sinks.stream().map(SinkConfig::name).toList());
    if (parallelism < 1 || parallelism > maxParallelism || maxParallelism > 1 << 15) {
      throw new IllegalArgumentException(
          "parallelism: must be from 1 to max-parallelism, and that at most 32768; found "
              + parallelism
              + " and "
              + maxParallelism);
    }
    List<SinkConfig> recordSinks = sinks;
    List<SinkConfig> all =
        Stream.of(recordSinks, tableSinks, List.of(deadLetters)).flatMap(List::stream).toList();
    requireOwnTransactions(all);
    if (checkpoints.interval().isZero()) {
      all.forEach(JobConfig::requireNoTransactions);
    }
  }

  private static void requireUnique(String key, List<String> names) {
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!seen.add(name)) {
        throw new IllegalArgumentException(
            key + ": two are called \"" + name + "\"; give each a name of its own");
      }
    }
  }

  /** Two sinks with one prefix would abort each other's transactions. */
  private static void requireOwnTransactions(List<SinkConfig> sinks) {
    Set<String> seen = new HashSet<>();
    for (SinkConfig sink : sinks) {
      if (sink instanceof SinkConfig.Kafka kafka
          && kafka.exactlyOnce()
          && !seen.add(kafka.transactionalIdPrefix())) {
        throw new IllegalArgumentException(
            (sink.name().equals(DEAD_LETTERS) ? DEAD_LETTERS : "sinks")
                + ": two have the transactional-id-prefix \""
                + kafka.transactionalIdPrefix()
                + "\"; give each one of its own");
      }
    }
  }

  private static void requireNoTransactions(SinkConfig sink) {
    if (sink instanceof SinkConfig.Kafka kafka && kafka.exactlyOnce()) {
      throw new IllegalArgumentException(
          "checkpoints.interval: is 0, but sink "
              + sink.name()
              + " is exactly-once and commits at checkpoints; set an interval, or delivery:"
              + " at-least-once");
    }
    if (sink instanceof SinkConfig.Files) {
      throw new IllegalArgumentException(
          "checkpoints.interval: is 0, but sink "
              + sink.name()
              + " finishes its files at checkpoints; set an interval");
    }
  }

  /**
   * Makes the job's stages, in order, unopened. Reads their index files, to know their content.
   *
   * @throws io.latimer.operators.OperatorException if an index file is not what the job file says
   */
  public List<Stage> newStages() {
    return stages.stream().map(stage -> Stages.of(stage, name)).toList();
  }

  /** The job as a job file that {@link JobConfigReader} reads: everything, secrets as written. */
  public String toYaml() {
    return JobConfigWriter.yaml(this);
  }

  /**
   * How far event time may lag.
   *
   * @param outOfOrderness how much later than newer records a record may come
   * @param idleness after what time a silent partition no longer holds back the others; zero for
   *     never
   */
  public record EventTime(Duration outOfOrderness, Duration idleness) {}

  /**
   * How micro-batches are made and worked on.
   *
   * @param limits when a batch is closed
   * @param inFlight batches that a subtask has under way, 1 or more
   * @param ordered whether records leave in the order in which they came
   * @param timeout after what time a batch is taken for lost and the task starts again; zero for
   *     never
   */
  public record Batching(
      MicroBatcher.Limits limits, int inFlight, boolean ordered, Duration timeout) {}

  /**
   * When and where state is kept. Checkpoints are exactly-once.
   *
   * @param interval time between checkpoints; zero for none, and then nothing survives a failure
   * @param timeout after what time a checkpoint that is not finished is given up
   * @param directory URI of a folder that all machines of the job see; empty for the engine's own
   *     setting
   */
  public record Checkpoints(Duration interval, Duration timeout, String directory) {}

  /**
   * What follows a failure.
   *
   * @param attempts how often to start again before the job has been quiet, 0 for never
   * @param delay how long to wait before it
   * @param quiet after how long without a failure attempts are counted from 0 again, at least 1 ms
   */
  public record Restarts(int attempts, Duration delay, Duration quiet) {}
}
