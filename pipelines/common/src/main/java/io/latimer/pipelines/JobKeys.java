package io.latimer.pipelines;

import io.latimer.pipelines.config.Choice;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.ConfigType;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The keys of a job file: the one place that has their names, types, defaults and meanings.
 * Reading, writing and documentation follow from it. The keys of stages are with the stages.
 */
final class JobKeys {
  private static final String PROPERTIES =
      "Client properties, passed on as they are, such as `security.protocol` and `sasl.jaas.config`."
          + " A value may hold `${ENV:NAME}`: the environment variable NAME of the process that"
          + " starts the job. Values are never printed.";

  private JobKeys() {}

  /** How often a record is written to Kafka. */
  enum Delivery {
    EXACTLY_ONCE,
    AT_LEAST_ONCE
  }

  /** What files hold. */
  enum Format {
    TEXT,
    AVRO
  }

  private static final ConfigType<Duration> TIME = ConfigTypes.duration(Duration.ZERO);
  private static final ConfigType<Duration> POSITIVE_TIME =
      ConfigTypes.duration(Duration.ofMillis(1));

  /** {@code source: kafka}. */
  static final class Kafka {
    static final ConfigKey<String> BOOTSTRAP_SERVERS =
        ConfigKey.of(
            "bootstrap-servers",
            ConfigTypes.name(),
            "localhost:9092",
            "Brokers to begin with, host:port, several separated by commas.");
    static final ConfigKey<List<String>> TOPICS =
        ConfigKey.of(
            "topics", ConfigTypes.texts(), List.of(), "Topics to read. Or give `topic-pattern`.");
    static final ConfigKey<String> TOPIC_PATTERN =
        ConfigKey.of(
            "topic-pattern",
            ConfigTypes.text("a regular expression", JobKeys::isPattern),
            "",
            "Regular expression (Java's) of the names of the topics to read, in place of `topics`.");
    static final ConfigKey<String> GROUP_ID =
        ConfigKey.of(
            "group-id",
            ConfigTypes.text(),
            "",
            "Consumer group under which offsets are committed; the job's name where empty.");
    static final ConfigKey<String> START =
        ConfigKey.of(
            "start",
            ConfigTypes.text(
                "committed, earliest, latest, or an instant such as 2026-11-21T12:00:00Z",
                JobKeys::isStart),
            "committed",
            "Where to begin without a checkpoint: the group's `committed` offsets (else the"
                + " earliest), `earliest`, `latest`, or an instant: the first records with a"
                + " timestamp not before it.");
    static final ConfigKey<Boolean> BOUNDED =
        ConfigKey.of(
            "bounded",
            ConfigTypes.flag(),
            false,
            "Whether to stop at the offsets that were the last when the job began.");
    static final ConfigKey<Map<String, String>> CLIENT_PROPERTIES =
        ConfigKey.of(
            "properties",
            ConfigTypes.properties(),
            Map.of(),
            PROPERTIES
                + " Where they do not say, `isolation.level` is `read_committed` and"
                + " `receive.buffer.bytes` -1, which leaves it to the system.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "kafka",
            "Kafka topics. Keys, headers and timestamps are kept.",
            BOOTSTRAP_SERVERS,
            TOPICS,
            TOPIC_PATTERN,
            GROUP_ID,
            START,
            BOUNDED,
            CLIENT_PROPERTIES);

    private Kafka() {}
  }

  /** {@code source: files}. */
  static final class Files {
    static final ConfigKey<String> PATH =
        ConfigKey.required(
            "path",
            ConfigTypes.path(false),
            "feed.txt",
            "A file or a folder; a relative path belongs to the folder of the job file.");
    static final ConfigKey<Duration> WATCH =
        ConfigKey.of(
            "watch",
            TIME,
            Duration.ZERO,
            "How often to look for new files in the folder; 0 reads what is there and ends. A file"
                + " is read once, as it is when it is seen: move it complete into the folder.");
    static final ConfigSection SECTION =
        ConfigSection.of("files", "Text files, one sentence a line.", PATH, WATCH);

    private Files() {}
  }

  /** {@code source: socket}. */
  static final class Socket {
    static final ConfigKey<String> HOST =
        ConfigKey.of("host", ConfigTypes.name(), "localhost", "Name or address to connect to.");
    static final ConfigKey<Integer> PORT =
        ConfigKey.required("port", ConfigTypes.integer(1, 65_535), 7000, "TCP port to connect to.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "socket",
            "Lines from a TCP socket, to which the job connects. A socket cannot be read again:"
                + " lines that were read but not checkpointed are lost in a failure.",
            HOST,
            PORT);

    private Socket() {}
  }

  /** {@code source: list}. */
  static final class Lines {
    static final ConfigKey<List<String>> LINES =
        ConfigKey.required(
            "lines",
            ConfigTypes.texts(),
            List.of("Good morning.", "How are you?"),
            "The sentences, one a record.");
    static final ConfigSection SECTION =
        ConfigSection.of("list", "Sentences that stand in the job file.", LINES);

    private Lines() {}
  }

  /** {@code input}. */
  static final class Input {
    static final ConfigKey<JobConfig.Encoding> ENCODING =
        ConfigKey.of(
            "encoding",
            ConfigTypes.word(JobConfig.Encoding.class),
            JobConfig.Encoding.AUTO,
            "How records are encoded: `avro` (a `Sentence` in single-object encoding), `text`"
                + " (UTF-8, one sentence a record), or `auto`, which tells them apart. But for `text`,"
                + " a file that begins as an Avro container (`Obj`, 1) is read as one: of records from"
                + " which Avro resolves a `Sentence`, codec null or deflate. A damaged block becomes a"
                + " dead letter that names file and byte; the blocks after it are read.");
    static final ConfigKey<String> FEED =
        ConfigKey.of(
            "feed",
            ConfigTypes.text(),
            "",
            "Feed of plain text; the name of its topic or file where empty.");
    static final ConfigKey<String> LANGUAGE =
        ConfigKey.of(
            "language",
            ConfigTypes.text(
                "a BCP 47 tag such as en, or nothing",
                text -> text.isEmpty() || text.matches("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")),
            "",
            "Language of plain text as a BCP 47 tag; unknown where empty.");
    static final ConfigKey<Integer> MAX_RECORD_BYTES =
        ConfigKey.of(
            "max-record-bytes",
            ConfigTypes.integer(1, 1 << 30),
            1 << 20,
            "Longest record, in bytes; a longer one is a dead letter, which holds as much of a line"
                + " of files or a socket.");
    static final ConfigSection SECTION =
        ConfigSection.of(
            "input",
            "How the bytes of the source become sentences.",
            ENCODING,
            FEED,
            LANGUAGE,
            MAX_RECORD_BYTES);

    private Input() {}
  }

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

  /** Keys of sinks; those for dead letters have no name. */
  static final class Sinks {
    static final ConfigKey<String> NAME =
        ConfigKey.of(
            "name",
            ConfigTypes.text(
                "letters, digits, - and _, or nothing",
                text -> text.matches("[A-Za-z0-9_-]{0,64}")),
            "",
            "Name of the sink in the job's state; the kind of the sink where empty. Unique within"
                + " the job.");
    static final ConfigKey<String> TOPIC =
        ConfigKey.required("topic", ConfigTypes.name(), "translations", "Topic to write.");
    static final ConfigKey<Delivery> DELIVERY =
        ConfigKey.of(
            "delivery",
            ConfigTypes.word(Delivery.class),
            Delivery.EXACTLY_ONCE,
            "`exactly-once` writes in transactions, which readers with"
                + " `isolation.level=read_committed` see after each checkpoint; `at-least-once`"
                + " writes at once and may repeat records after a failure.");
    static final ConfigKey<String> TRANSACTIONAL_ID_PREFIX =
        ConfigKey.of(
            "transactional-id-prefix",
            ConfigTypes.text(),
            "",
            "Prefix of the transactions' ids, unique within the Kafka cluster; the names of job and"
                + " sink where empty.");
    static final ConfigKey<Map<String, String>> PRODUCER_PROPERTIES =
        ConfigKey.of(
            "properties",
            ConfigTypes.properties(),
            Map.of(),
            PROPERTIES
                + " Where they do not say, `batch.size` is 131072, `send.buffer.bytes` -1, which"
                + " leaves it to the system, and `transaction.timeout.ms` 900000.");
    static final ConfigKey<String> FOLDER =
        ConfigKey.required(
            "path",
            ConfigTypes.path(false),
            "translations",
            "The folder; a relative path belongs to the folder of the job file.");
    static final ConfigKey<Format> FORMAT =
        ConfigKey.of(
            "format",
            ConfigTypes.word(Format.class),
            Format.TEXT,
            "`avro` for Avro object container files, `text` for one record a line.");

    static final ConfigSection KAFKA =
        ConfigSection.of(
            "kafka",
            "A Kafka topic. Keys, headers and event time are those of the source's records.",
            NAME,
            Kafka.BOOTSTRAP_SERVERS,
            TOPIC,
            DELIVERY,
            TRANSACTIONAL_ID_PREFIX,
            PRODUCER_PROPERTIES);
    static final ConfigSection FILES =
        ConfigSection.of(
            "files", "Files in a folder, finished at each checkpoint.", NAME, FOLDER, FORMAT);
    static final ConfigSection PRINT =
        ConfigSection.of("print", "One line a record on standard output.", NAME);

    /** Of the tables of a stage. */
    static final ConfigKey<List<Choice>> TABLES =
        ConfigKey.of(
            "sinks",
            ConfigTypes.list(ConfigTypes.choice(List.of(KAFKA, FILES, PRINT))),
            List.of(new Choice(PRINT.settings().build())),
            "Where the tables go, all of them to each; at least one. They are as the sinks of a job,"
                + " but tables have times and keys of their own.");

    static final ConfigSection DEAD_KAFKA =
        ConfigSection.of(
            "kafka",
            "A Kafka topic of `DeadLetter` records.",
            Kafka.BOOTSTRAP_SERVERS,
            TOPIC,
            DELIVERY,
            TRANSACTIONAL_ID_PREFIX,
            PRODUCER_PROPERTIES);
    static final ConfigSection DEAD_FILES =
        ConfigSection.of(
            "files", "Files in a folder, finished at each checkpoint.", FOLDER, FORMAT);
    static final ConfigSection DEAD_PRINT =
        ConfigSection.of("print", "One line of JSON a record on standard error.");
    static final ConfigSection DEAD_FAIL =
        ConfigSection.of(
            "fail", "The first dead letter fails the job, so that none is overlooked.");

    private Sinks() {}
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
          ConfigTypes.choice(List.of(Kafka.SECTION, Files.SECTION, Socket.SECTION, Lines.SECTION)),
          new Choice(Kafka.SECTION.settings().set(Kafka.TOPICS, List.of("sentences")).build()),
          "Where sentences come from.");
  static final ConfigKey<Settings> INPUT = section(Input.SECTION);
  static final ConfigKey<Settings> EVENT_TIME = section(EventTime.SECTION);
  static final ConfigKey<Settings> BATCH = section(Batch.SECTION);
  static final ConfigKey<List<Choice>> STAGES =
      ConfigKey.required(
          "stages",
          ConfigTypes.list(ConfigTypes.choice(Stages.sections())),
          List.of(new Choice(Stages.example())),
          "The steps that every record goes through, in order; at least one.");
  static final ConfigKey<List<Choice>> SINKS =
      ConfigKey.of(
          "sinks",
          ConfigTypes.list(ConfigTypes.choice(List.of(Sinks.KAFKA, Sinks.FILES, Sinks.PRINT))),
          List.of(new Choice(Sinks.PRINT.settings().build())),
          "Where records go that have passed all stages, all of them to each: translations, or the"
              + " sentences themselves in a job that makes none. At least one, but `[]` will do where"
              + " a stage has sinks of its own.");
  static final ConfigKey<Choice> DEAD_LETTERS =
      ConfigKey.of(
          "dead-letters",
          ConfigTypes.choice(
              List.of(Sinks.DEAD_KAFKA, Sinks.DEAD_FILES, Sinks.DEAD_PRINT, Sinks.DEAD_FAIL)),
          new Choice(Sinks.DEAD_FAIL.settings().build()),
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

  private static boolean isPattern(String text) {
    try {
      Pattern.compile(text);
      return true;
    } catch (PatternSyntaxException e) {
      return false;
    }
  }

  private static boolean isStart(String text) {
    if (List.of("committed", "earliest", "latest").contains(text)) {
      return true;
    }
    try {
      Instant.parse(text);
      return true;
    } catch (DateTimeParseException e) {
      return false;
    }
  }
}
