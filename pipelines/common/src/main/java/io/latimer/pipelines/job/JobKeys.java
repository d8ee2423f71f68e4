package io.latimer.pipelines.job;

import io.latimer.pipelines.config.Choice;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.ConfigType;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.sink.SinkKeys;
import io.latimer.pipelines.source.SourceKeys;
import io.latimer.pipelines.stages.Stages;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The keys of a job file: the one place that has their names, types, defaults and meanings.
 * Reading, writing and documentation follow from it. The keys of sources, sinks and stages are with
 * them.
 */
final class JobKeys {
  private JobKeys() {}

  private static final ConfigType<Duration> TIME = ConfigTypes.duration(Duration.ZERO);
  private static final ConfigType<Duration> POSITIVE_TIME =
      ConfigTypes.duration(Duration.ofMillis(1));

  /** {@code event-time}. */
  static final class EventTime {
    static final ConfigKey<Duration> OUT_OF_ORDERNESS =
        ConfigKey.of(
            "out-of-orderness",
            TIME,
            Duration.ofSeconds(5),
            "How much later than newer records a record may come; watermarks lag by it.");
    static final ConfigKey<Duration> IDLENESS =
        ConfigKey.of(
            "idleness",
            TIME,
            Duration.ofSeconds(30),
            "After what time a silent partition no longer holds the watermarks back; 0 for never.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "event-time",
            "Event time is the sentence's own, or the source's timestamp where it has none.",
            OUT_OF_ORDERNESS,
            IDLENESS);

    private EventTime() {}
  }

  /** {@code batch}. */
  static final class Batch {
    static final ConfigKey<Integer> MAX_RECORDS =
        ConfigKey.of(
            "max-records", ConfigTypes.integer(1, 1 << 20), 64, "Most records of a batch.");
    static final ConfigKey<Integer> MAX_TOKENS =
        ConfigKey.of(
            "max-tokens",
            ConfigTypes.integer(1, 1 << 30),
            4096,
            "Most tokens of a batch, by an estimate from the length of the texts; a single record"
                + " with more is a batch of its own.");
    static final ConfigKey<Duration> MAX_WAIT =
        ConfigKey.of(
            "max-wait",
            ConfigTypes.duration(Duration.ZERO),
            Duration.ofMillis(20),
            "Longest time that a batch waits to be filled: what batching may add to latency.");
    static final ConfigKey<Integer> IN_FLIGHT =
        ConfigKey.of(
            "in-flight",
            ConfigTypes.integer(1, 1024),
            3,
            "Batches that a subtask has under way; beyond these the source is slowed. A GPU works on"
                + " two at once: a third waits for it while the subtask writes what is done.");
    static final ConfigKey<Boolean> ORDERED =
        ConfigKey.of(
            "ordered",
            ConfigTypes.flag(),
            true,
            "Whether records leave a stage in the order in which they came.");
    static final ConfigKey<Duration> TIMEOUT =
        ConfigKey.of(
            "timeout",
            TIME,
            Duration.ofMinutes(10),
            "After what time a batch is taken for lost and the task starts again from its last"
                + " checkpoint; 0 for never.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "batch",
            "Micro-batches are closed at max-records, max-tokens or max-wait, whichever is first.",
            MAX_RECORDS,
            MAX_TOKENS,
            MAX_WAIT,
            IN_FLIGHT,
            ORDERED,
            TIMEOUT);

    private Batch() {}
  }

  /** {@code checkpoints}. */
  static final class Checkpoints {
    static final ConfigKey<Duration> INTERVAL =
        ConfigKey.of(
            "interval",
            TIME,
            Duration.ofSeconds(10),
            "Time between checkpoints, which are exactly-once; transactions are committed and files"
                + " finished at them. 0 for none: then nothing survives a failure.");
    static final ConfigKey<Duration> TIMEOUT =
        ConfigKey.of(
            "timeout",
            POSITIVE_TIME,
            Duration.ofMinutes(10),
            "After what time a checkpoint that is not finished is given up.");
    static final ConfigKey<String> DIRECTORY =
        ConfigKey.of(
            "directory",
            ConfigTypes.path(true),
            "",
            "A folder that all machines of the job see. Where empty, the engine's own setting: Flink's is"
                + " the job manager's memory, which takes 5 MiB of a task; `latimer run` keeps them in"
                + " a temporary folder, which goes with it.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "checkpoints", "When and where state is kept.", INTERVAL, TIMEOUT, DIRECTORY);

    private Checkpoints() {}
  }

  /** {@code restarts}. */
  static final class Restarts {
    static final ConfigKey<Integer> ATTEMPTS =
        ConfigKey.of(
            "attempts",
            ConfigTypes.integer(0, Integer.MAX_VALUE),
            10,
            "How often the job is started again from its last checkpoint before it has been quiet;"
                + " 0 for never.");
    static final ConfigKey<Duration> DELAY =
        ConfigKey.of("delay", TIME, Duration.ofSeconds(5), "How long to wait before it.");
    static final ConfigKey<Duration> QUIET =
        ConfigKey.of(
            "quiet",
            POSITIVE_TIME,
            Duration.ofMinutes(10),
            "After so long without a failure, attempts are counted from 0 again.");
    static final ConfigSection SECTION =
        ConfigSection.of("restarts", "What follows a failure.", ATTEMPTS, DELAY, QUIET);

    private Restarts() {}
  }

  static final ConfigKey<String> NAME =
      ConfigKey.of(
          "name",
          ConfigTypes.name(),
          "latimer",
          "Name of the job: prefix of its Kafka transactions and default of its consumer group, so"
              + " unique among the jobs of a Kafka cluster.");
  static final ConfigKey<Integer> PARALLELISM =
      ConfigKey.of(
          "parallelism", ConfigTypes.integer(1, 1 << 15), 1, "Number of parallel subtasks.");
  static final ConfigKey<Integer> MAX_PARALLELISM =
      ConfigKey.of(
          "max-parallelism",
          ConfigTypes.integer(1, 1 << 15),
          128,
          "The most that the job can ever be scaled to. Part of its state: it cannot be changed"
              + " later.");
  static final ConfigKey<Choice> SOURCE =
      ConfigKey.required(
          "source",
          ConfigTypes.choice(SourceKeys.SECTIONS),
          new Choice(
              SourceKeys.Kafka.SECTION
                  .settings()
                  .set(SourceKeys.Kafka.TOPICS, List.of("sentences"))
                  .build()),
          "Where sentences come from.");
  static final ConfigKey<Settings> INPUT = section(SourceKeys.Input.SECTION);
  static final ConfigKey<Settings> EVENT_TIME = section(EventTime.SECTION);
  static final ConfigKey<Settings> BATCH = section(Batch.SECTION);
  static final ConfigKey<List<Choice>> STAGES =
      ConfigKey.required(
          "stages",
          ConfigTypes.list(ConfigTypes.choice(Stages.sections())),
          List.of(new Choice(Stages.example())),
          "The steps that every record goes through, in order; at least one, and at most one `translate`:"
              + " to translate a translation, let a second job read the topic or the files of this"
              + " one.");
  static final ConfigKey<List<Choice>> SINKS =
      ConfigKey.of(
          "sinks",
          ConfigTypes.list(
              ConfigTypes.choice(List.of(SinkKeys.KAFKA, SinkKeys.FILES, SinkKeys.PRINT))),
          List.of(new Choice(SinkKeys.PRINT.settings().build())),
          "Where records go that have passed all stages, all of them to each: translations, or the"
              + " sentences themselves in a job that makes none. At least one, but `[]` will do where"
              + " a stage has sinks of its own.");
  static final ConfigKey<Choice> DEAD_LETTERS =
      ConfigKey.of(
          "dead-letters",
          ConfigTypes.choice(
              List.of(
                  SinkKeys.DEAD_KAFKA,
                  SinkKeys.DEAD_FILES,
                  SinkKeys.DEAD_PRINT,
                  SinkKeys.DEAD_FAIL)),
          new Choice(SinkKeys.DEAD_FAIL.settings().build()),
          "Where records go that cannot be processed, with their original bytes and the reason.");
  static final ConfigKey<Settings> CHECKPOINTS = section(Checkpoints.SECTION);
  static final ConfigKey<Settings> RESTARTS = section(Restarts.SECTION);
  static final ConfigKey<Map<String, String>> ENGINE =
      ConfigKey.of(
          "engine",
          ConfigTypes.properties(),
          Map.of(),
          "Settings of the engine (Flink), passed on as they are, such as those of its state backend"
              + " and metrics reporters. What this file sets otherwise wins. `${ENV:NAME}` is as in"
              + " client properties.");

  /** The whole file. */
  static final ConfigSection JOB =
      ConfigSection.of(
          "job",
          "A job file.",
          NAME,
          SOURCE,
          INPUT,
          EVENT_TIME,
          BATCH,
          STAGES,
          SINKS,
          DEAD_LETTERS,
          PARALLELISM,
          MAX_PARALLELISM,
          CHECKPOINTS,
          RESTARTS,
          ENGINE);

  private static ConfigKey<Settings> section(ConfigSection section) {
    return ConfigKey.of(
        section.name(), ConfigTypes.section(section), section.settings().build(), section.doc());
  }
}
