package io.latimer.pipelines.job;

import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.sink.Sinks;
import io.latimer.pipelines.sink.Transactions;
import io.latimer.pipelines.stage.IndexName;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.pipelines.stages.Stages;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Checks what concerns several keys of a job. */
final class JobChecks {
  private JobChecks() {}

  /**
   * Checks a job.
   *
   * @throws IllegalArgumentException if keys do not go together; the message begins with the path
   *     of one of them
   */
  static void check(JobConfig job) {
    boolean forwardsTombstones = job.forwardsTombstones();
    List<StageConfig> stages = job.stages();
    List<SinkConfig> sinks = job.sinks();
    ControlConfig control = job.control();
    if (job.name().isBlank()) {
      throw new IllegalArgumentException("name: must not be empty");
    }
    if (stages.isEmpty()) {
      throw new IllegalArgumentException(
          "stages: a job needs at least one stage, such as translate");
    }
    for (StageConfig stage : stages) {
      List<SinkConfig> own = Sinks.ofTables(stage.settings(), stage.name(), job.name());
      requireUnique("stages", own.stream().map(SinkConfig::name).toList());
    }
    if (sinks.isEmpty() && job.tableSinks().isEmpty()) {
      throw new IllegalArgumentException("sinks: a job needs at least one sink, such as print");
    }
    requireUnique("stages", stages.stream().map(StageConfig::name).toList());
    Stages.checkTogether(stages);
    requireUnique("sinks", sinks.stream().map(SinkConfig::name).toList());
    if (forwardsTombstones) {
      requireTopics(sinks);
    }
    requireUnique("control", control.status().stream().map(SinkConfig::name).toList());
    requireFollowing(control, stages);
    requireLearning(control, stages);
    int parallelism = job.parallelism();
    int maxParallelism = job.maxParallelism();
    if (parallelism < 1 || parallelism > maxParallelism || maxParallelism > 1 << 15) {
      throw new IllegalArgumentException(
          "parallelism: must be from 1 to max-parallelism, which is at most 32768; found "
              + parallelism
              + " and "
              + maxParallelism);
    }
    List<SinkConfig> all = job.allSinks();
    requireOwnTransactions(all);
    JobConfig.Checkpoints checkpoints = job.checkpoints();
    if (checkpoints.interval().isZero()) {
      all.forEach(JobChecks::requireNoTransactions);
    }
    if (job.written().contains(JobConfig.EngineKey.CHECKPOINT_INTERVAL)
        && job.written()
            .contains(JobConfig.EngineKey.CHECKPOINT_TIMEOUT)) { // else a cluster may have others
      Transactions.check(
          all,
          "checkpoints.interval",
          checkpoints.interval(),
          "checkpoints.timeout",
          checkpoints.timeout());
    }
  }

  /** Requires that all sinks are topics, because only these can have tombstones. */
  private static void requireTopics(List<SinkConfig> sinks) {
    String path = "source.kafka.tombstones: is forward, but ";
    String remedy = ", or set tombstones: drop or tombstones: dead-letter";
    if (sinks.isEmpty()) {
      throw new IllegalArgumentException(
          path + "the job has no sink of records; add a sink kafka" + remedy);
    }
    for (SinkConfig sink : sinks) {
      if (!(sink instanceof SinkConfig.Kafka)) {
        throw new IllegalArgumentException(
            path
                + "sink "
                + sink.name()
                + " is not a Kafka topic, and cannot take records without a value; use sinks kafka"
                + " only"
                + remedy);
      }
    }
  }

  private static void requireFollowing(ControlConfig control, List<StageConfig> stages) {
    requireUnique(
        "control.follow", control.follow().stream().map(ControlConfig.Follow::stage).toList());
    for (ControlConfig.Follow follow : control.follow()) {
      boolean scores =
          stages.stream()
              .anyMatch(one -> one.name().equals(follow.stage()) && Stages.scores(one.kind()));
      if (!scores) {
        throw new IllegalArgumentException(
            "control.follow: stage "
                + follow.stage()
                + ": the job has no stage score of this name; only such stages use language"
                + " models");
      }
    }
  }

  private static void requireLearning(ControlConfig control, List<StageConfig> stages) {
    requireUnique(
        "control.learn", control.learn().stream().map(ControlConfig.Learn::stage).toList());
    List<String> topics = new ArrayList<>(List.of(control.topic()));
    control.follow().forEach(follow -> topics.add(follow.topic()));
    for (ControlConfig.Learn learn : control.learn()) {
      String where = "control.learn: stage " + learn.stage();
      IndexName index = IndexName.parse(learn.stage());
      StageConfig stage =
          stages.stream()
              .filter(one -> one.name().equals(index.stage()))
              .filter(one -> Stages.taught(one, index.key()).isPresent())
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          where
                              + ": the job has no stage of this name that learns; stages phrases"
                              + " and translate do, and so does the glossary of a stage translate:"
                              + " write translate.glossary"));
      if (learn.isCompacted() && !Stages.compacts(stage, index.key())) {
        throw new IllegalArgumentException(
            where
                + ": compact.directory is for stages with phrases; a model takes no sentence pairs,"
                + " and terms are not written to a glossary: both stay beside it, up to max-pairs;"
                + " remove compact");
      }
      if (!learn.corrections().isEmpty() && topics.contains(learn.corrections())) {
        throw new IllegalArgumentException(
            where
                + ": topic "
                + learn.corrections()
                + " is read for something else already; give the corrections of each stage a topic"
                + " of their own");
      }
      topics.add(learn.corrections());
      if (learn.isCompacted() && learn.compactPairs() >= learn.maxPairs()) {
        throw new IllegalArgumentException(
            where
                + ": compact.pairs must be less than max-pairs, so that there is room for what"
                + " comes meanwhile; found "
                + learn.compactPairs()
                + " and "
                + learn.maxPairs());
      }
    }
  }

  private static void requireUnique(String key, List<String> names) {
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!seen.add(name)) {
        throw new IllegalArgumentException(
            key + ": duplicate name \"" + name + "\"; give each a unique name");
      }
    }
  }

  /**
   * Refuses two sinks where one's prefix begins with the other's: they would abort each other's
   * transactions, which are found by the prefix of their ids.
   */
  private static void requireOwnTransactions(List<SinkConfig> sinks) {
    List<SinkConfig.Kafka> seen = new ArrayList<>();
    for (SinkConfig sink : sinks) {
      if (sink instanceof SinkConfig.Kafka kafka && kafka.exactlyOnce()) {
        seen.forEach(other -> requireOwnTransactions(other, kafka));
        seen.add(kafka);
      }
    }
  }

  private static void requireOwnTransactions(SinkConfig.Kafka one, SinkConfig.Kafka other) {
    String first = one.transactionalIdPrefix();
    String second = other.transactionalIdPrefix();
    String path = other.name().equals(JobConfig.DEAD_LETTERS) ? JobConfig.DEAD_LETTERS : "sinks";
    if (first.equals(second)) {
      throw new IllegalArgumentException(
          path + ": duplicate transactional-id-prefix \"" + second + "\"; give each a unique one");
    }
    if (first.startsWith(second) || second.startsWith(first)) {
      throw new IllegalArgumentException(
          path
              + ": transactional-id-prefix \""
              + second
              + "\" of sink "
              + other.name()
              + " and \""
              + first
              + "\" of sink "
              + one.name()
              + " begin alike, so that one sink would abort the other's transactions; end each"
              + " with a different word");
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
}
