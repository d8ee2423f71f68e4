package io.latimer.pipelines.job;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.client.ClientProperties;
import io.latimer.pipelines.config.ConfigFile;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.index.IndexSettings;
import io.latimer.pipelines.index.IndexSource;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.sink.Sinks;
import io.latimer.pipelines.sink.Transactions;
import io.latimer.pipelines.source.InputConfig;
import io.latimer.pipelines.source.SourceConfig;
import io.latimer.pipelines.source.Tombstones;
import io.latimer.pipelines.stage.Stage;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.pipelines.stages.Stages;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A job: a source, a list of stages, sinks, and the destination of dead letters. {@link
 * JobConfigReader} reads it from a job file, and {@link #toYaml} writes the file.
 *
 * @param name the job's name; also the prefix of its Kafka transactions and the default of its
 *     consumer group, so it must be unique among the jobs of a Kafka cluster
 * @param source where sentences come from
 * @param input how the bytes of the source become sentences
 * @param eventTime how far event time may lag or lead
 * @param batch how micro-batches are formed
 * @param stages the steps, in order; at least one, with unique names
 * @param indexes where copies of remote index files are kept
 * @param sinks destinations of records that have passed all stages; each sink receives all of them.
 *     At least one unless a stage has sinks; names are unique
 * @param deadLetters destination of records that cannot be processed
 * @param control where commands to the running job come from
 * @param checkpoints when and where state is saved
 * @param restarts what to do after a failure
 * @param parallelism number of parallel subtasks, 1 or more
 * @param maxParallelism maximum parallelism to which the job can be rescaled, 1 to 32768; part of
 *     its state
 * @param engineSettings the engine's own settings, passed on unchanged
 * @param written the engine's keys with an explicit value in the job file; for the others, the
 *     cluster's configuration takes precedence
 */
public record JobConfig(
    String name,
    SourceConfig source,
    InputConfig input,
    EventTime eventTime,
    Batching batch,
    List<StageConfig> stages,
    IndexSettings indexes,
    List<SinkConfig> sinks,
    SinkConfig deadLetters,
    Control control,
    Checkpoints checkpoints,
    Restarts restarts,
    int parallelism,
    int maxParallelism,
    ClientProperties engineSettings,
    Set<EngineKey> written) {

  /** Keys that clusters can configure, too. */
  public enum EngineKey {
    PARALLELISM,
    MAX_PARALLELISM,
    CHECKPOINT_INTERVAL,
    CHECKPOINT_TIMEOUT,
    RESTARTS
  }

  /** Name of the sink for dead letters. */
  public static final String DEAD_LETTERS = "dead-letters";

  public JobConfig {
    stages = List.copyOf(stages);
    sinks = List.copyOf(sinks);
    written = Set.copyOf(written);
    if (name.isBlank()) {
      throw new IllegalArgumentException("name: must not be empty");
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
    if (forwardsTombstones(source)) {
      requireTopics(sinks);
    }
    requireUnique("control", control.status().stream().map(SinkConfig::name).toList());
    requireFollowing(control, stages);
    requireLearning(control, stages);
    if (parallelism < 1 || parallelism > maxParallelism || maxParallelism > 1 << 15) {
      throw new IllegalArgumentException(
          "parallelism: must be from 1 to max-parallelism, which is at most 32768; found "
              + parallelism
              + " and "
              + maxParallelism);
    }
    List<SinkConfig> recordSinks = sinks;
    List<SinkConfig> all =
        Stream.of(recordSinks, tableSinks, List.of(deadLetters), control.status())
            .flatMap(List::stream)
            .toList();
    requireOwnTransactions(all);
    if (checkpoints.interval().isZero()) {
      all.forEach(JobConfig::requireNoTransactions);
    }
    if (written.contains(EngineKey.CHECKPOINT_INTERVAL)
        && written.contains(EngineKey.CHECKPOINT_TIMEOUT)) { // else a cluster may have others
      Transactions.check(
          all,
          "checkpoints.interval",
          checkpoints.interval(),
          "checkpoints.timeout",
          checkpoints.timeout());
    }
  }

  /** Whether tombstones, records without a value, are forwarded to the sinks. */
  public boolean forwardsTombstones() {
    return forwardsTombstones(source);
  }

  private static boolean forwardsTombstones(SourceConfig source) {
    return source instanceof SourceConfig.Kafka kafka && kafka.tombstones() == Tombstones.FORWARD;
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

  /** The sinks of records, tables, dead letters and statuses. */
  public List<SinkConfig> allSinks() {
    List<SinkConfig> all = new ArrayList<>(sinks);
    stages.forEach(stage -> all.addAll(Sinks.ofTables(stage.settings(), stage.name(), name)));
    all.add(deadLetters);
    all.addAll(control.status());
    return all;
  }

  /**
   * A copy with the settings with which a cluster runs the job.
   *
   * @param checkpoints when and where state is saved
   * @param parallelism number of parallel subtasks
   * @param maxParallelism maximum parallelism to which the job can be rescaled
   * @param ownRestarts whether {@link #restarts} applies instead of the cluster's strategy
   * @throws IllegalArgumentException if these values do not fit the rest of the job
   */
  public JobConfig on(
      Checkpoints checkpoints, int parallelism, int maxParallelism, boolean ownRestarts) {
    Set<EngineKey> all = EnumSet.allOf(EngineKey.class);
    if (!ownRestarts) {
      all.remove(EngineKey.RESTARTS);
    }
    return new JobConfig(
        name,
        source,
        input,
        eventTime,
        batch,
        stages,
        indexes,
        sinks,
        deadLetters,
        control,
        checkpoints,
        restarts,
        parallelism,
        maxParallelism,
        engineSettings,
        all);
  }

  private static void requireFollowing(Control control, List<StageConfig> stages) {
    requireUnique("control.follow", control.follow().stream().map(Follow::stage).toList());
    for (Follow follow : control.follow()) {
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

  private static void requireLearning(Control control, List<StageConfig> stages) {
    requireUnique("control.learn", control.learn().stream().map(Learn::stage).toList());
    List<String> topics = new ArrayList<>(List.of(control.topic()));
    control.follow().forEach(follow -> topics.add(follow.topic()));
    for (Learn learn : control.learn()) {
      String where = "control.learn: stage " + learn.stage();
      boolean learns =
          stages.stream().anyMatch(one -> one.name().equals(learn.stage()) && Stages.learns(one));
      if (!learns) {
        throw new IllegalArgumentException(
            where
                + ": the job has no stage of this name that learns; stages phrases do, and stages"
                + " translate with phrases");
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
    String path = other.name().equals(DEAD_LETTERS) ? DEAD_LETTERS : "sinks";
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

  /** The folders to which the job publishes index files, as paths or URIs. */
  public Set<String> indexFolders() {
    Set<String> folders = new LinkedHashSet<>();
    stages.forEach(stage -> Stages.folder(stage).ifPresent(folders::add));
    control.learn().stream()
        .filter(Learn::isCompacted)
        .forEach(learn -> folders.add(learn.compactDirectory()));
    return folders;
  }

  /**
   * Creates the job's stages for an engine without file systems of its own.
   *
   * @see #newStages(IndexSource)
   */
  public List<Stage> newStages() {
    return newStages(IndexFiles.none());
  }

  /**
   * Creates the job's stages, in order, unopened. Reads their index files to hash them, except
   * remote ones whose SHA-256 is in the job file.
   *
   * @param files the engine's source of index files that are neither local nor on an HTTP server
   * @throws io.latimer.operators.OperatorException if an index file does not match the job file
   */
  public List<Stage> newStages(IndexSource files) {
    Stages.Job job = new Stages.Job(name, new IndexFiles(indexes, files));
    return stages.stream().map(stage -> Stages.of(stage, job)).toList();
  }

  /**
   * Creates a reference to a file with which a command may replace a stage's index; any file that a
   * job file may name. Reads the file unless it is remote and its SHA-256 is given.
   *
   * @param stage its name
   * @param path a path of this machine or a URI
   * @param sha256 64 lower-case hexadecimal digits, or empty for any content
   * @param files the engine's source of index files that are neither local nor on an HTTP server
   * @throws io.latimer.operators.OperatorException if the job has no such stage, the stage has no
   *     index, or the file does not suit it
   */
  public IndexRef newIndex(String stage, String path, String sha256, IndexSource files) {
    StageConfig config =
        stages.stream()
            .filter(one -> one.name().equals(stage))
            .findFirst()
            .orElseThrow(
                () ->
                    new OperatorException(
                        "the job has no stage "
                            + stage
                            + "; it has "
                            + stages.stream()
                                .map(StageConfig::name)
                                .collect(Collectors.joining(", "))));
    return Stages.newIndex(config, path, sha256, new IndexFiles(indexes, files));
  }

  /**
   * Writes the job as a job file for {@link JobConfigReader}: all keys, with secrets as written.
   * For display, use {@link #toMaskedYaml}.
   */
  public String toYaml() {
    return ConfigFile.write(JobConfigWriter.settings(this));
  }

  /**
   * Writes the job as a job file for display: all keys, with passwords and other secrets masked.
   */
  public String toMaskedYaml() {
    return ConfigFile.writeMasked(JobConfigWriter.settings(this));
  }

  /**
   * All keys by path, such as {@code source.kafka.topics}, with secrets masked, for an engine to
   * display.
   */
  public Map<String, String> toMaskedProperties() {
    return ConfigFile.maskedProperties(JobConfigWriter.settings(this));
  }

  /**
   * How far event time may lag or lead.
   *
   * @param outOfOrderness how much later than newer records a record may arrive
   * @param idleness time after which an idle partition no longer holds back the others; zero for
   *     never
   * @param maxAhead how far an event time may be ahead of the source's timestamp and of the clock;
   *     1 ms or more
   */
  public record EventTime(Duration outOfOrderness, Duration idleness, Duration maxAhead) {}

  /**
   * How micro-batches are formed and processed.
   *
   * @param limits when a batch is closed
   * @param inFlight batches in flight per stage and subtask, 1 or more
   * @param ordered whether records leave in their original order
   * @param timeout working time after which a batch is considered hung and the task restarts; zero
   *     for never
   * @param attempts how often a record's batches may time out before it is processed alone, 1 or
   *     more
   * @param group whether adjacent stages that process batches share them
   */
  public record Batching(
      MicroBatcher.Limits limits,
      int inFlight,
      boolean ordered,
      Duration timeout,
      int attempts,
      boolean group) {}

  /**
   * Where commands to the running job come from.
   *
   * @param bootstrapServers host:port, separated by commas
   * @param topic Kafka topic of {@code ControlCommand} records; empty if the job takes no commands
   * @param start where to start without state: {@code earliest} or {@code latest}
   * @param properties client properties, such as SASL and SSL, passed on unchanged
   * @param loadTimeout maximum time for a subtask to load what a command needs; 1 ms or more
   * @param follow the stages that use published models, without duplicates
   * @param status destinations of {@code ControlStatus} records; each receives all of them
   * @param learn the stages that learn from corrections, without duplicates
   */
  public record Control(
      String bootstrapServers,
      String topic,
      String start,
      ClientProperties properties,
      Duration loadTimeout,
      List<Follow> follow,
      List<SinkConfig> status,
      List<Learn> learn) {

    /** For a job that takes no commands. */
    public static final Control NONE =
        new Control(
            "localhost:9092",
            "",
            "latest",
            ClientProperties.NONE,
            Duration.ofMinutes(10),
            List.of(),
            List.of(),
            List.of());

    public Control {
      follow = List.copyOf(follow);
      if (topic.isEmpty() && !follow.isEmpty()) {
        throw new IllegalArgumentException(
            "control.topic: is empty, but a stage follows a topic of models; name the topic of the"
                + " commands");
      }
      status = List.copyOf(status);
      learn = List.copyOf(learn);
      if (topic.isEmpty() && !learn.isEmpty()) {
        throw new IllegalArgumentException(
            "control.topic: is empty, but a stage learns; name the topic of the commands");
      }
      if (topic.isEmpty() && !status.isEmpty()) {
        throw new IllegalArgumentException(
            "control.topic: is empty, but there are sinks for statuses; name the topic of the"
                + " commands");
      }
    }

    /** Whether the job takes commands. */
    public boolean isOn() {
      return !topic.isEmpty();
    }
  }

  /**
   * A stage that uses the models of a topic.
   *
   * @param stage name of a stage {@code score}
   * @param topic Kafka topic of {@code PublishedModel} records
   * @param feed feed of the models; empty for models of all feeds taken together
   * @param running whether to use running models instead of those of windows
   */
  public record Follow(String stage, String topic, String feed, boolean running)
      implements Serializable {}

  /**
   * How a stage learns sentence pairs while the job runs.
   *
   * @param stage name of a stage {@code phrases}
   * @param corrections Kafka topic of {@code Correction} records; empty if there is none
   * @param maxPairs maximum number of learned pairs beside the index file, 1 or more
   * @param maxBytes maximum size of these pairs in the state
   * @param compactPairs number of pairs at which they are written to a new index file
   * @param compactDirectory folder of these files: a local path, or a URI of a file system of the
   *     engine; empty for none
   */
  public record Learn(
      String stage,
      String corrections,
      int maxPairs,
      long maxBytes,
      int compactPairs,
      String compactDirectory)
      implements Serializable {

    /** Maximum number of pairs that a stage can be configured to keep beside its index file. */
    public static final int MOST_PAIRS = 100_000;

    /** Whether learned pairs are written to new index files. */
    public boolean isCompacted() {
      return !compactDirectory.isEmpty();
    }

    /** A copy without compaction to new index files. */
    public Learn uncompacted() {
      return new Learn(stage, corrections, maxPairs, maxBytes, compactPairs, "");
    }
  }

  /**
   * When and where state is saved. Checkpoints are exactly-once.
   *
   * @param interval time between checkpoints; zero for none, and then nothing survives a failure
   * @param timeout time after which an unfinished checkpoint is aborted
   * @param directory URI of a folder that all machines of the job can access; empty for the
   *     engine's own setting
   */
  public record Checkpoints(Duration interval, Duration timeout, String directory) {}

  /**
   * The restart policy after a failure.
   *
   * @param attempts maximum number of restarts before the job fails, 0 for none
   * @param delay delay before a restart
   * @param quiet time without a failure after which the count of attempts is reset, at least 1 ms
   */
  public record Restarts(int attempts, Duration delay, Duration quiet) {}
}
