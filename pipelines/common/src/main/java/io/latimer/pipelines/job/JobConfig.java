package io.latimer.pipelines.job;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.client.ClientProperties;
import io.latimer.pipelines.config.ConfigFile;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.index.IndexSettings;
import io.latimer.pipelines.index.IndexSource;
import io.latimer.pipelines.record.Taught;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.sink.Sinks;
import io.latimer.pipelines.source.InputConfig;
import io.latimer.pipelines.source.SourceConfig;
import io.latimer.pipelines.source.Tombstones;
import io.latimer.pipelines.stage.IndexName;
import io.latimer.pipelines.stage.Stage;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.pipelines.stages.Stages;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A job: a source, a list of stages, sinks, and the destination of dead letters; a view of the
 * settings of a job file, which {@link JobConfigReader} reads and {@link #toYaml} writes.
 *
 * @param settings of a job file; those that depend on others, such as the name of the consumer
 *     group, are set
 */
public record JobConfig(Settings settings) {
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

  /**
   * Creates a job.
   *
   * @param settings of a valid job file
   * @throws IllegalArgumentException if they do not go together; the message begins with the path
   *     of a key
   */
  public JobConfig(Settings settings) {
    this.settings = completed(settings);
    JobChecks.check(this);
  }

  /** Sets what is made of other settings, so that a written job shows what applies. */
  private static Settings completed(Settings job) {
    String name = job.get(JobKeys.NAME);
    return job.map(JobKeys.SOURCE, source -> SourceConfig.completed(source, name))
        .map(JobKeys.SINKS, sinks -> Sinks.completed(sinks, "", name))
        .map(JobKeys.DEAD_LETTERS, sink -> Sinks.completed(sink, DEAD_LETTERS, name))
        .map(JobKeys.CONTROL, control -> ControlConfig.completed(control, name))
        .map(
            JobKeys.CHECKPOINTS,
            checkpoints -> checkpoints.map(JobKeys.Checkpoints.DIRECTORY, JobConfig::withScheme));
  }

  /** Converts the checkpoint folder to a URI, as engines expect. */
  private static String withScheme(String directory) {
    return directory.startsWith("/") ? "file://" + directory : directory;
  }

  /**
   * The job's name; also the prefix of its Kafka transactions and the default of its consumer
   * group, so it must be unique among the jobs of a Kafka cluster.
   */
  public String name() {
    return settings.get(JobKeys.NAME);
  }

  /** Where sentences come from. */
  public SourceConfig source() {
    return SourceConfig.of(settings.get(JobKeys.SOURCE));
  }

  /** How the bytes of the source become sentences. */
  public InputConfig input() {
    return InputConfig.of(settings.get(JobKeys.INPUT));
  }

  /** How far event time may lag or lead. */
  public EventTime eventTime() {
    return EventTime.of(settings.get(JobKeys.EVENT_TIME));
  }

  /** How micro-batches are formed. */
  public Batching batch() {
    return Batching.of(settings.get(JobKeys.BATCH));
  }

  /** The steps, in order; at least one, with unique names. */
  public List<StageConfig> stages() {
    return settings.get(JobKeys.STAGES).stream()
        .map(stage -> new StageConfig(stage.settings()))
        .toList();
  }

  /** Where copies of remote index files are kept. */
  public IndexSettings indexes() {
    return indexes(settings.get(JobKeys.INDEXES));
  }

  static IndexSettings indexes(Settings indexes) {
    return new IndexSettings(
        indexes.get(JobKeys.Indexes.DIRECTORY), indexes.get(JobKeys.Indexes.MAX_SIZE));
  }

  /**
   * Destinations of records that have passed all stages; each sink receives all of them. At least
   * one unless a stage has sinks; names are unique.
   */
  public List<SinkConfig> sinks() {
    return Sinks.of(settings.get(JobKeys.SINKS), "");
  }

  /** Destination of records that cannot be processed. */
  public SinkConfig deadLetters() {
    return Sinks.of(settings.get(JobKeys.DEAD_LETTERS), DEAD_LETTERS);
  }

  /** Where commands to the running job come from. */
  public ControlConfig control() {
    return ControlConfig.of(settings.get(JobKeys.CONTROL));
  }

  /** When and where state is saved. */
  public Checkpoints checkpoints() {
    return Checkpoints.of(settings.get(JobKeys.CHECKPOINTS));
  }

  /** What to do after a failure. */
  public Restarts restarts() {
    return Restarts.of(settings.get(JobKeys.RESTARTS));
  }

  /** Number of parallel subtasks, 1 or more. */
  public int parallelism() {
    return settings.get(JobKeys.PARALLELISM);
  }

  /** Maximum parallelism to which the job can be rescaled, 1 to 32768; part of its state. */
  public int maxParallelism() {
    return settings.get(JobKeys.MAX_PARALLELISM);
  }

  /** The engine's own settings, passed on unchanged. */
  public ClientProperties engineSettings() {
    return ClientProperties.of(settings.get(JobKeys.ENGINE));
  }

  /**
   * The engine's keys with an explicit value in the job file; for the others, the cluster's
   * configuration takes precedence.
   */
  public Set<EngineKey> written() {
    Settings checkpoints = settings.get(JobKeys.CHECKPOINTS);
    Settings restarts = settings.get(JobKeys.RESTARTS);
    Set<EngineKey> written = EnumSet.allOf(EngineKey.class);
    written.removeIf(
        key ->
            !switch (key) {
              case PARALLELISM -> settings.isWritten(JobKeys.PARALLELISM);
              case MAX_PARALLELISM -> settings.isWritten(JobKeys.MAX_PARALLELISM);
              case CHECKPOINT_INTERVAL -> checkpoints.isWritten(JobKeys.Checkpoints.INTERVAL);
              case CHECKPOINT_TIMEOUT -> checkpoints.isWritten(JobKeys.Checkpoints.TIMEOUT);
              case RESTARTS -> restarts.section().keys().stream().anyMatch(restarts::isWritten);
            });
    return written;
  }

  /** Whether tombstones, records without a value, are forwarded to the sinks. */
  public boolean forwardsTombstones() {
    return source() instanceof SourceConfig.Kafka kafka && kafka.tombstones() == Tombstones.FORWARD;
  }

  /** The sinks of records, tables, dead letters and statuses. */
  public List<SinkConfig> allSinks() {
    return Stream.of(sinks(), tableSinks(), List.of(deadLetters()), control().status())
        .flatMap(List::stream)
        .toList();
  }

  List<SinkConfig> tableSinks() {
    return stages().stream()
        .flatMap(stage -> Sinks.ofTables(stage.settings(), stage.name(), name()).stream())
        .toList();
  }

  /**
   * A copy with the settings with which a cluster runs the job.
   *
   * @param checkpoints when state is saved
   * @param parallelism number of parallel subtasks
   * @param maxParallelism maximum parallelism to which the job can be rescaled
   * @param ownRestarts whether {@link #restarts} applies instead of the cluster's strategy
   * @throws IllegalArgumentException if these values do not fit the rest of the job
   */
  public JobConfig on(
      Checkpoints checkpoints, int parallelism, int maxParallelism, boolean ownRestarts) {
    Settings applied =
        settings
            .with(JobKeys.PARALLELISM, parallelism)
            .with(JobKeys.MAX_PARALLELISM, maxParallelism)
            .map(
                JobKeys.CHECKPOINTS,
                own ->
                    own.with(JobKeys.Checkpoints.INTERVAL, checkpoints.interval())
                        .with(JobKeys.Checkpoints.TIMEOUT, checkpoints.timeout()));
    if (ownRestarts) { // one that is written takes precedence over a cluster's
      applied =
          applied.map(
              JobKeys.RESTARTS,
              own -> own.with(JobKeys.Restarts.ATTEMPTS, own.get(JobKeys.Restarts.ATTEMPTS)));
    }
    return new JobConfig(applied);
  }

  /** The folders to which the job publishes index files, as paths or URIs. */
  public Set<String> indexFolders() {
    Set<String> folders = new LinkedHashSet<>();
    stages().forEach(stage -> Stages.folder(stage).ifPresent(folders::add));
    control().learn().stream()
        .filter(ControlConfig.Learn::isCompacted)
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
    Stages.Job job = new Stages.Job(name(), new IndexFiles(indexes(), files));
    return stages().stream().map(stage -> Stages.of(stage, job)).toList();
  }

  /**
   * Creates a reference to a file with which a command may replace an index of a stage; any file
   * that a job file may name. Reads the file unless it is remote and its SHA-256 is given.
   *
   * @param index its {@link IndexName}
   * @param path a path of this machine or a URI
   * @param sha256 64 lower-case hexadecimal digits, or empty for any content
   * @param files the engine's source of index files that are neither local nor on an HTTP server
   * @throws io.latimer.operators.OperatorException if the job has no such stage, the stage no such
   *     index, or the file does not suit it
   */
  public IndexRef newIndex(String index, String path, String sha256, IndexSource files) {
    IndexName name = IndexName.parse(index);
    return Stages.newIndex(stage(name), name.key(), path, sha256, new IndexFiles(indexes(), files));
  }

  /**
   * What a command may append to an index of a stage.
   *
   * @param index its {@link IndexName}
   * @throws OperatorException if the job has no such stage, or nothing can be appended
   */
  public Taught taught(String index) {
    IndexName name = IndexName.parse(index);
    return Stages.taught(stage(name), name.key())
        .orElseThrow(
            () ->
                new OperatorException(
                    (name.isMain() ? "stage " : "index ")
                        + index
                        + " takes neither pairs nor terms: pairs are for stages phrases and"
                        + " translate, and terms for the glossary of a stage translate"));
  }

  private StageConfig stage(IndexName index) {
    return stages().stream()
        .filter(one -> one.name().equals(index.stage()))
        .findFirst()
        .orElseThrow(
            () ->
                new OperatorException(
                    "the job has no stage "
                        + index.stage()
                        + "; it has "
                        + stages().stream()
                            .map(StageConfig::name)
                            .collect(Collectors.joining(", "))));
  }

  /**
   * Writes the job as a job file for {@link JobConfigReader}: all keys, with secrets as written.
   * For display, use {@link #toMaskedYaml}.
   */
  public String toYaml() {
    return ConfigFile.write(settings);
  }

  /**
   * Writes the job as a job file for display: all keys, with passwords and other secrets masked.
   */
  public String toMaskedYaml() {
    return ConfigFile.writeMasked(settings);
  }

  /**
   * All keys by path, such as {@code source.kafka.topics}, with secrets masked, for an engine to
   * display.
   */
  public Map<String, String> toMaskedProperties() {
    return ConfigFile.maskedProperties(settings);
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
  public record EventTime(Duration outOfOrderness, Duration idleness, Duration maxAhead) {
    private static EventTime of(Settings eventTime) {
      return new EventTime(
          eventTime.get(JobKeys.EventTime.OUT_OF_ORDERNESS),
          eventTime.get(JobKeys.EventTime.IDLENESS),
          eventTime.get(JobKeys.EventTime.MAX_AHEAD));
    }
  }

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
      boolean group) {
    private static Batching of(Settings batch) {
      return new Batching(
          limits(batch),
          batch.get(JobKeys.Batch.IN_FLIGHT),
          batch.get(JobKeys.Batch.ORDERED),
          batch.get(JobKeys.Batch.TIMEOUT),
          batch.get(JobKeys.Batch.ATTEMPTS),
          batch.get(JobKeys.Batch.GROUP));
    }

    static MicroBatcher.Limits limits(Settings batch) {
      return new MicroBatcher.Limits(
          batch.get(JobKeys.Batch.MAX_RECORDS),
          batch.get(JobKeys.Batch.MAX_TOKENS),
          batch.get(JobKeys.Batch.MAX_WAIT).toMillis());
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
  public record Checkpoints(Duration interval, Duration timeout, String directory) {
    private static Checkpoints of(Settings checkpoints) {
      return new Checkpoints(
          checkpoints.get(JobKeys.Checkpoints.INTERVAL),
          checkpoints.get(JobKeys.Checkpoints.TIMEOUT),
          checkpoints.get(JobKeys.Checkpoints.DIRECTORY));
    }
  }

  /**
   * The restart policy after a failure.
   *
   * @param attempts maximum number of restarts before the job fails, 0 for none
   * @param delay delay before a restart
   * @param quiet time without a failure after which the count of attempts is reset, at least 1 ms
   */
  public record Restarts(int attempts, Duration delay, Duration quiet) {
    private static Restarts of(Settings restarts) {
      return new Restarts(
          restarts.get(JobKeys.Restarts.ATTEMPTS),
          restarts.get(JobKeys.Restarts.DELAY),
          restarts.get(JobKeys.Restarts.QUIET));
    }
  }
}
