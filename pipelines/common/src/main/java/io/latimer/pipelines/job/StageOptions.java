package io.latimer.pipelines.job;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.batch.BatchPolicy;
import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.config.ConfigFile;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.index.IndexSettings;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.pipelines.stages.Stages;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A stage that is configured by a flat list of options, as in a SQL statement, instead of a job
 * file: the keys of the stage itself, such as {@code beam}, and those of the sections {@code batch}
 * and {@code indexes}, such as {@code batch.max-records}.
 *
 * @param stage that processes batches
 * @param batches when batches are processed
 * @param timeout maximum time that the stage may work on a batch; zero for none
 * @param maxPending maximum number of records that a caller may have in flight, 1 or more
 * @param indexes where copies of remote index files are kept
 * @param others the values of additional keys of the caller
 */
public record StageOptions(
    StageConfig stage,
    BatchPolicy batches,
    Duration timeout,
    int maxPending,
    IndexSettings indexes,
    Settings others) {

  static final ConfigKey<Integer> MAX_PENDING =
      ConfigKey.of(
          "max-pending",
          ConfigTypes.integer(1, 1 << 20),
          1 << 14,
          "Maximum records that a subtask may have under way: waiting for a batch, or in one.");

  static final ConfigKey<Duration> TIMEOUT =
      ConfigKey.of(
          "timeout",
          ConfigTypes.duration(Duration.ZERO),
          // accessed through the outer class, which must be initialized first
          JobKeys.BATCH.example().get(JobKeys.Batch.TIMEOUT),
          "Working time of the stage after which a batch counts as lost, and its records fail; 0"
              + " for never.");

  /** The key {@code min-records}, whose default is the value of max-records. */
  static final ConfigKey<Integer> MIN_RECORDS =
      ConfigKey.of(
          "min-records",
          ConfigTypes.integer(1, 1 << 20),
          // accessed through the outer class, which must be initialized first
          JobKeys.BATCH.example().get(JobKeys.Batch.MAX_RECORDS),
          "Records with which a batch is processed as soon as a device is free, instead of waiting"
              + " for max-wait; by default as many as max-records.");

  private static final Pattern BOUNDS = Pattern.compile("[1-9][0-9]{0,8}(, ?[1-9][0-9]{0,8})*");

  static final ConfigKey<String> LENGTH_BUCKETS =
      ConfigKey.of(
          "length-buckets",
          ConfigTypes.text(
              "numbers of tokens separated by commas, such as 16,64",
              text -> text.isEmpty() || BOUNDS.matcher(text).matches()),
          "",
          "Ascending numbers of tokens: records of at most as many meet in batches of their own, so"
              + " that short sentences do not wait for long ones. Empty: all records meet.");

  private static final ConfigSection LIMITS =
      ConfigSection.of(
          JobKeys.BATCH.name(),
          "The records of all callers in a process share batches. A micro-batch is closed at"
              + " max-records, max-tokens or max-wait, whichever comes first.",
          JobKeys.Batch.MAX_RECORDS,
          JobKeys.Batch.MAX_TOKENS,
          JobKeys.Batch.MAX_WAIT,
          MIN_RECORDS,
          LENGTH_BUCKETS,
          TIMEOUT,
          MAX_PENDING);

  private static final ConfigKey<Settings> BATCH =
      ConfigKey.of(
          LIMITS.name(), ConfigTypes.section(LIMITS), LIMITS.settings().build(), LIMITS.doc());

  /**
   * Reads options.
   *
   * @param kind of stage, such as {@code translate}; one that processes batches
   * @param options by their names
   * @param name of the object they configure, for messages
   * @param base the folder that relative paths refer to
   * @param more additional optional or required keys
   * @throws ConfigException if they are invalid; lists every problem, each starting with the name
   *     of an option
   */
  public static StageOptions read(
      String kind, Map<String, String> options, String name, Path base, ConfigKey<?>... more) {
    ConfigSection section = section(kind, more);
    Settings read = ConfigFile.readOptions(section, options, name, base);
    ConfigSection own = stage(kind);
    Settings.Builder settings = own.settings();
    own.keys().forEach(key -> copy(key, read, settings));
    StageConfig stage = new StageConfig(settings.build());
    Settings.Builder others = ConfigSection.of("options", "", more).settings();
    List.of(more).forEach(key -> copy(key, read, others));
    Settings batch = read.get(BATCH);
    try {
      Stages.check(stage);
      Stages.checkTogether(List.of(stage));
      return new StageOptions(
          stage,
          policy(batch),
          batch.get(TIMEOUT),
          batch.get(MAX_PENDING),
          JobConfig.indexes(read.get(JobKeys.INDEXES)),
          others.build());
    } catch (OperatorException | IllegalArgumentException e) {
      ConfigException error = new ConfigException(name, List.of(e.getMessage()));
      error.initCause(e);
      throw error;
    }
  }

  private static BatchPolicy policy(Settings batch) {
    MicroBatcher.Limits limits = JobConfig.Batching.limits(batch);
    return new BatchPolicy(
        limits,
        batch.isWritten(MIN_RECORDS) ? batch.get(MIN_RECORDS) : limits.records(),
        Pattern.compile(", ?")
            .splitAsStream(batch.get(LENGTH_BUCKETS))
            .filter(bound -> !bound.isEmpty())
            .map(Integer::valueOf)
            .toList());
  }

  /**
   * All options of a kind of stage.
   *
   * @param more additional keys, which come first
   */
  public static ConfigSection section(String kind, ConfigKey<?>... more) {
    ConfigSection own = stage(kind);
    List<ConfigKey<?>> keys = new ArrayList<>(List.of(more));
    keys.addAll(own.keys());
    keys.add(BATCH);
    keys.add(JobKeys.INDEXES);
    return new ConfigSection(kind, own.doc(), keys);
  }

  private static ConfigSection stage(String kind) {
    return Stages.sections().stream()
        .filter(section -> section.name().equals(kind))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("unknown stage \"" + kind + "\""));
  }

  private static <T> void copy(ConfigKey<T> key, Settings from, Settings.Builder to) {
    if (from.isWritten(key)) {
      to.set(key, from.get(key));
    }
  }
}
