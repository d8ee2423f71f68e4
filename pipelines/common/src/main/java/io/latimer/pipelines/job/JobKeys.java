package io.latimer.pipelines.job;

import io.latimer.pipelines.client.ClientKeys;
import io.latimer.pipelines.config.Choice;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.ConfigType;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.index.IndexSettings;
import io.latimer.pipelines.sink.SinkKeys;
import io.latimer.pipelines.source.SourceKeys;
import io.latimer.pipelines.stages.Stages;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The keys of a job file: the single definition of their names, types, defaults and meanings, from
 * which reading, writing and documentation are derived. Keys of sources, sinks and stages are
 * defined next to these.
 */
final class JobKeys {
  private JobKeys() {}

  private static final ConfigType<Duration> TIME = ConfigTypes.duration(Duration.ZERO);
  private static final ConfigType<Duration> POSITIVE = ConfigTypes.duration(Duration.ofMillis(1));

  /** {@code event-time}. */
  static final class EventTime {
    static final ConfigKey<Duration> OUT_OF_ORDERNESS =
        ConfigKey.of(
            "out-of-orderness",
            TIME,
            Duration.ofSeconds(5),
            "How much later than newer records a record may arrive; watermarks lag by this.");
    static final ConfigKey<Duration> IDLENESS =
        ConfigKey.of(
            "idleness",
            TIME,
            Duration.ofSeconds(30),
            "Time after which an idle partition no longer holds back the watermarks; 0 for never.");
    static final ConfigKey<Duration> MAX_AHEAD =
        ConfigKey.of(
            "max-ahead",
            POSITIVE,
            Duration.ofDays(1),
            "How far an event time may be ahead of the source's timestamp and of the clock. A"
                + " record beyond that becomes a dead letter: one wrong time in the far future"
                + " would end all windows before it.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "event-time",
            "A sentence's own event time, or the source's timestamp if it has none.",
            OUT_OF_ORDERNESS,
            IDLENESS,
            MAX_AHEAD);

    private EventTime() {}
  }

  /** {@code batch}. */
  static final class Batch {
    static final ConfigKey<Integer> MAX_RECORDS =
        ConfigKey.of(
            "max-records", ConfigTypes.integer(1, 1 << 20), 64, "Maximum records per batch.");
    static final ConfigKey<Integer> MAX_TOKENS =
        ConfigKey.of(
            "max-tokens",
            ConfigTypes.integer(1, 1 << 30),
            4096,
            "Maximum tokens per batch, estimated from the length of the texts; a single record"
                + " with more forms a batch of its own.");
    static final ConfigKey<Duration> MAX_WAIT =
        ConfigKey.of(
            "max-wait",
            ConfigTypes.duration(Duration.ZERO),
            Duration.ofMillis(20),
            "Maximum time that a batch waits to be filled when it could be processed; batching"
                + " adds at most this to the latency.");
    static final ConfigKey<Integer> IN_FLIGHT =
        ConfigKey.of(
            "in-flight",
            ConfigTypes.integer(1, 1024),
            3,
            "Maximum batches in flight per stage and subtask; beyond that, backpressure slows the"
                + " source. The subtasks of a process keep a GPU busy with eight translating at"
                + " once.");
    static final ConfigKey<Boolean> ORDERED =
        ConfigKey.of(
            "ordered",
            ConfigTypes.flag(),
            true,
            "Whether records leave a stage, or a group of stages, in their original order.");
    static final ConfigKey<Duration> TIMEOUT =
        ConfigKey.of(
            "timeout",
            TIME,
            Duration.ofMinutes(5),
            "Working time of a stage, or a group of stages, after which a batch counts as lost and"
                + " the task restarts from its last checkpoint; 0 for never. Keep it below"
                + " `checkpoints.timeout`: a batch that hangs may block a checkpoint.");
    static final ConfigKey<Integer> ATTEMPTS =
        ConfigKey.of(
            "attempts",
            ConfigTypes.integer(1, 1000),
            3,
            "How often a record's batches may time out. After that the record is processed alone;"
                + " if it times out again, it becomes a dead letter. Each time-out of a batch takes"
                + " one of `restarts.attempts`.");
    static final ConfigKey<Boolean> GROUP =
        ConfigKey.of(
            "group",
            ConfigTypes.flag(),
            true,
            "Whether neighbouring stages that process batches share them: a batch is gathered once"
                + " and stays in memory from the first of these stages to the last, and stages"
                + " that do not read each other's results work on it at the same time. If false,"
                + " each stage gathers its own batches.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "batch",
            "A micro-batch is closed at max-records, max-tokens or max-wait, whichever comes first."
                + " After max-wait it stays open, and can grow, while another batch waits for the"
                + " stages or they have no thread for it.",
            MAX_RECORDS,
            MAX_TOKENS,
            MAX_WAIT,
            IN_FLIGHT,
            ORDERED,
            TIMEOUT,
            ATTEMPTS,
            GROUP);

    private Batch() {}
  }

  /** {@code follow}. */
  static final class Follow {
    static final ConfigKey<String> STAGE =
        ConfigKey.required(
            "stage", ConfigTypes.name(), "score", "Name of a stage `score`, whose model changes.");
    static final ConfigKey<String> TOPIC =
        ConfigKey.required(
            "topic",
            ConfigTypes.name(),
            "news-models",
            "Kafka topic of `PublishedModel` records in the Avro encoding, in the cluster of the"
                + " commands. Without a checkpoint, it is read from its beginning, and the newest"
                + " model is used.");
    static final ConfigKey<String> FEED =
        ConfigKey.of(
            "feed",
            ConfigTypes.text(),
            "",
            "Feed of the models; if empty, models of all feeds taken together. Others are"
                + " ignored.");
    static final ConfigKey<Boolean> RUNNING =
        ConfigKey.of(
            "running",
            ConfigTypes.flag(),
            false,
            "Whether to use running models instead of those of windows.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "follow",
            "A stage whose model is replaced by the newest one of a topic.",
            STAGE,
            TOPIC,
            FEED,
            RUNNING);

    private Follow() {}
  }

  /** {@code compact} of {@code learn}. */
  static final class Compact {
    static final ConfigKey<Integer> PAIRS =
        ConfigKey.of(
            "pairs",
            ConfigTypes.integer(1, ControlConfig.Learn.MOST_PAIRS),
            5_000,
            "Number of learned pairs at which they are written to a new index file, together with"
                + " the index in use; less than `max-pairs`.");
    static final ConfigKey<String> DIRECTORY =
        ConfigKey.of(
            "directory",
            ConfigTypes.path(true),
            "",
            "A folder for the new index files, which are named by their content: a path, which must"
                + " exist and be the same folder on all machines of the job, or a URI that the"
                + " engine can write to (`s3:`, `hdfs:` and others). The job does not delete files"
                + " there, `latimer index prune` does. If empty, learned pairs are not written to"
                + " index files, and corrections beyond `max-pairs` are refused.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "compact",
            "When and where learned pairs become part of a new index file, to which the stage is"
                + " then swapped.",
            PAIRS,
            DIRECTORY);

    private Compact() {}
  }

  /** {@code learn}. */
  static final class Learn {
    static final ConfigKey<String> STAGE =
        ConfigKey.required(
            "stage",
            ConfigTypes.name(),
            "phrases",
            "Name of a stage `phrases` or `translate`, which learns; or of the glossary of a stage"
                + " `translate`, such as `translate.glossary`, beside which it learns terms.");
    static final ConfigKey<String> CORRECTIONS =
        ConfigKey.of(
            "corrections",
            ConfigTypes.text(),
            "",
            "Kafka topic of `Correction` records, in the cluster of the commands; if empty, the"
                + " stage learns only from `append` commands. Without a checkpoint, it is read from"
                + " where `start` says.");
    static final ConfigKey<Integer> MAX_PAIRS =
        ConfigKey.of(
            "max-pairs",
            ConfigTypes.integer(1, ControlConfig.Learn.MOST_PAIRS),
            10_000,
            "Maximum number of learned pairs beside the index file or the model, or of learned terms"
                + " beside a glossary; further ones are refused. All are built into a small index"
                + " each time that one is added, and are in the state of the job.");
    static final ConfigKey<Long> MAX_SIZE =
        ConfigKey.of(
            "max-size",
            ConfigTypes.size(),
            16L << 20,
            "Maximum size of these pairs; further ones are refused. Until the next swap, the state also"
                + " keeps those of the index before.");
    static final ConfigKey<Settings> COMPACT = section(Compact.SECTION);
    static final ConfigSection SECTION =
        ConfigSection.of(
            "learn",
            "A stage that learns sentence pairs, such as corrected translations, while the job"
                + " runs.",
            STAGE,
            CORRECTIONS,
            MAX_PAIRS,
            MAX_SIZE,
            COMPACT);

    private Learn() {}
  }

  /** {@code control}. */
  static final class Control {
    static final ConfigKey<String> TOPIC =
        ConfigKey.of(
            "topic",
            ConfigTypes.text(),
            "",
            "Kafka topic of `ControlCommand` records, with one partition; without one, the job"
                + " takes no commands.");
    static final ConfigKey<String> START =
        ConfigKey.of(
            "start",
            ConfigTypes.text(
                "earliest or latest", text -> List.of("earliest", "latest").contains(text)),
            "latest",
            "Where to start reading without a checkpoint. Commands that were sent before the job"
                + " started are carried out only with `earliest`.");
    static final ConfigKey<Map<String, String>> CLIENT_PROPERTIES =
        ConfigKey.of("properties", ConfigTypes.properties(), Map.of(), ClientKeys.PROPERTIES);
    static final ConfigKey<Duration> LOAD_TIMEOUT =
        ConfigKey.of(
            "load-timeout",
            ConfigTypes.duration(Duration.ofMillis(1)),
            Duration.ofMinutes(10),
            "Maximum time for a subtask to load what a command asks for, such as a new index. Where"
                + " it is exceeded, the command is refused, and the old index stays in use.");
    static final ConfigKey<List<Settings>> FOLLOW =
        ConfigKey.of(
            "follow",
            ConfigTypes.list(ConfigTypes.section(Follow.SECTION)),
            List.of(),
            "Stages that use models as soon as a stage `estimate`, of this job or another one,"
                + " publishes them, each once. Needs `topic`.");
    static final ConfigKey<List<Choice>> STATUS =
        ConfigKey.of(
            "status",
            ConfigTypes.list(
                ConfigTypes.choice(List.of(SinkKeys.KAFKA, SinkKeys.FILES, SinkKeys.PRINT))),
            List.of(),
            "Where `ControlStatus` records go, all of them to each: what became of each command, in"
                + " every subtask and in all. The log has them, too. `latimer control` needs a"
                + " Kafka topic here.");
    static final ConfigKey<List<Settings>> LEARN =
        ConfigKey.of(
            "learn",
            ConfigTypes.list(ConfigTypes.section(Learn.SECTION)),
            List.of(),
            "Stages that learn from corrections while the job runs, each once. Needs `topic`.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "control",
            "Commands to the running job: to swap the index of a stage, or to set limits of"
                + " batches; `latimer control` sends them.",
            ClientKeys.BOOTSTRAP_SERVERS,
            TOPIC,
            START,
            CLIENT_PROPERTIES,
            LOAD_TIMEOUT,
            FOLLOW,
            STATUS,
            LEARN);

    private Control() {}
  }

  /** {@code checkpoints}. */
  static final class Checkpoints {
    static final ConfigKey<Duration> INTERVAL =
        ConfigKey.of(
            "interval",
            TIME,
            Duration.ofSeconds(10),
            "Time between checkpoints, which are exactly-once and at which transactions are"
                + " committed and files finished. With 0 there are none, and nothing survives a"
                + " failure.");
    static final ConfigKey<Duration> TIMEOUT =
        ConfigKey.of(
            "timeout",
            POSITIVE,
            Duration.ofMinutes(10),
            "Time after which an unfinished checkpoint is abandoned.");
    static final ConfigKey<String> DIRECTORY =
        ConfigKey.of(
            "directory",
            ConfigTypes.path(true),
            "",
            "A folder that all machines of the job can access; the job's checkpoints are in a"
                + " folder of its name there, and `latimer run` resumes from the newest. If empty,"
                + " the engine's setting applies: by default, Flink uses the job manager's memory,"
                + " which takes at most 5 MiB per task. `latimer run` then uses a temporary folder,"
                + " which it deletes when it ends, and cannot resume.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "checkpoints", "When and where state is saved.", INTERVAL, TIMEOUT, DIRECTORY);

    private Checkpoints() {}
  }

  /** {@code indexes}. */
  static final class Indexes {
    static final ConfigKey<String> DIRECTORY =
        ConfigKey.of(
            "directory",
            ConfigTypes.localFilePath(true),
            IndexSettings.DEFAULTS.directory(),
            "A local folder for the copies, which is created if it does not exist and must be"
                + " private; if empty, `latimer/indexes` in the cache folder of the user of each"
                + " process (`~/.cache`, or `XDG_CACHE_HOME`). The processes of a machine share"
                + " it.");
    static final ConfigKey<Long> MAX_SIZE =
        ConfigKey.of(
            "max-size",
            ConfigTypes.size(),
            IndexSettings.DEFAULTS.maxBytes(),
            "Maximum size of the copies together, and never more than 90 % of the space that the"
                + " disk of their folder has for them. Copies that have not been used for the"
                + " longest time are removed first, and those in use never; a file that then has no"
                + " room is refused before it is copied.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "indexes",
            "Where each machine keeps its copies of index files that are not local.",
            DIRECTORY,
            MAX_SIZE);

    private Indexes() {}
  }

  /** {@code restarts}. */
  static final class Restarts {
    static final ConfigKey<Integer> ATTEMPTS =
        ConfigKey.of(
            "attempts",
            ConfigTypes.integer(0, Integer.MAX_VALUE),
            10,
            "Number of restarts from the last checkpoint before the job fails; 0 for none. See"
                + " `quiet`.");
    static final ConfigKey<Duration> DELAY =
        ConfigKey.of("delay", TIME, Duration.ofSeconds(5), "Delay before a restart.");
    static final ConfigKey<Duration> QUIET =
        ConfigKey.of(
            "quiet",
            POSITIVE,
            Duration.ofMinutes(10),
            "Time without a failure after which the job has all its attempts again.");
    static final ConfigSection SECTION =
        ConfigSection.of("restarts", "What to do after a failure.", ATTEMPTS, DELAY, QUIET);

    private Restarts() {}
  }

  static final ConfigKey<String> NAME =
      ConfigKey.of(
          "name",
          ConfigTypes.name(),
          "latimer",
          "Name of the job. It is the prefix of its Kafka transactions and the default of its"
              + " consumer group, so it must be unique among the jobs of a Kafka cluster.");
  static final ConfigKey<Integer> PARALLELISM =
      ConfigKey.of(
          "parallelism", ConfigTypes.integer(1, 1 << 15), 1, "Number of parallel subtasks.");
  static final ConfigKey<Integer> MAX_PARALLELISM =
      ConfigKey.of(
          "max-parallelism",
          ConfigTypes.integer(1, 1 << 15),
          128,
          "Maximum parallelism to which the job can be rescaled. It is part of the job's state and"
              + " cannot be changed later.");
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
          "The steps that every record goes through, in order; at least one, and at most one"
              + " `translate`: to translate a translation, let a second job read the topic or the"
              + " files of this one.");
  static final ConfigKey<List<Choice>> SINKS =
      ConfigKey.of(
          "sinks",
          ConfigTypes.list(ConfigTypes.choice(SinkKeys.RECORDS)),
          List.of(new Choice(SinkKeys.PRINT_RECORDS.settings().build())),
          "Destinations of records that have passed all stages: translations, or the sentences"
              + " themselves if no stage translates. Each sink receives all records, or those whose"
              + " quality is in its range. At least one, but `[]` is allowed if a stage has sinks of"
              + " its own.");
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
          "Destination of records that cannot be processed, with their original bytes and the"
              + " reason.");
  static final ConfigKey<Settings> CONTROL = section(Control.SECTION);
  static final ConfigKey<Settings> CHECKPOINTS = section(Checkpoints.SECTION);
  static final ConfigKey<Settings> INDEXES = section(Indexes.SECTION);
  static final ConfigKey<Settings> RESTARTS = section(Restarts.SECTION);
  static final ConfigKey<Map<String, String>> ENGINE =
      ConfigKey.of(
          "engine",
          ConfigTypes.properties(),
          Map.of(),
          "Settings of the engine (Flink), passed on unchanged, such as its state backend and"
              + " metrics reporters. Other keys that this file contains take precedence."
              + " `${ENV:NAME}` works as in client properties.");

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
          INDEXES,
          SINKS,
          DEAD_LETTERS,
          CONTROL,
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
