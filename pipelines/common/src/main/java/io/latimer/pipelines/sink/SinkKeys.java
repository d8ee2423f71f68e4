package io.latimer.pipelines.sink;

import io.latimer.pipelines.client.ClientKeys;
import io.latimer.pipelines.config.Choice;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.ConfigTypes;
import java.util.List;
import java.util.Map;

/** The keys of sinks of records, tables and dead letters; sinks of dead letters have no name. */
public final class SinkKeys {
  /** Delivery guarantee of a Kafka sink. */
  public enum Delivery {
    EXACTLY_ONCE,
    AT_LEAST_ONCE
  }

  /** What happens if a restored transaction can no longer be committed. */
  public enum LostTransactions {
    FAIL,
    ACCEPT
  }

  public static final ConfigKey<String> NAME =
      ConfigKey.of(
          "name",
          ConfigTypes.label(),
          "",
          "Name of the sink in the job's state; if empty, the kind of the sink. Unique within the"
              + " job.");
  public static final ConfigKey<String> TOPIC =
      ConfigKey.required("topic", ConfigTypes.name(), "translations", "Topic to write to.");
  public static final ConfigKey<Delivery> DELIVERY =
      ConfigKey.of(
          "delivery",
          ConfigTypes.word(Delivery.class),
          Delivery.EXACTLY_ONCE,
          "`exactly-once` writes in transactions, which readers with"
              + " `isolation.level=read_committed` see after each checkpoint; `at-least-once`"
              + " writes immediately and may repeat records after a failure.");
  public static final ConfigKey<String> TRANSACTIONAL_ID_PREFIX =
      ConfigKey.of(
          "transactional-id-prefix",
          ConfigTypes.text(),
          "",
          "Prefix of transactional ids. Within the Kafka cluster, no transactional id of another"
              + " program may begin with it. A colon is added if it does not end with one. If empty,"
              + " `JOB:SINK:` with the names of job and sink (`%` and `:` in the job's name become"
              + " `%25` and `%3A`).");
  public static final ConfigKey<LostTransactions> LOST_TRANSACTIONS =
      ConfigKey.of(
          "lost-transactions",
          ConfigTypes.word(LostTransactions.class),
          LostTransactions.FAIL,
          "What happens if a transaction in the checkpoint or savepoint that a job starts from"
              + " cannot be committed, or the broker cannot say whether it was: `fail` ends the job;"
              + " `accept` goes on without its records, with a warning that names it. Set `accept`"
              + " for one start only. A transaction that is lost while the job runs ends it in any"
              + " case.");
  public static final ConfigKey<Map<String, String>> PRODUCER_PROPERTIES =
      ConfigKey.of(
          "properties",
          ConfigTypes.properties(),
          Map.of(),
          ClientKeys.PROPERTIES
              + " Defaults: `batch.size` = 131072, `send.buffer.bytes` = -1 (chosen by the"
              + " operating system), `transaction.timeout.ms` = 900000.");
  public static final ConfigKey<String> FOLDER =
      ConfigKey.required(
          "path",
          ConfigTypes.path(false),
          "translations",
          "The folder; a relative path is relative to the job file's folder.");
  private static final String JSON =
      " `json` is one object a line with the fields of the Avro record; schemas/README.md says how"
          + " they look.";
  public static final ConfigKey<Format> KAFKA_FORMAT =
      ConfigKey.of(
          "format",
          ConfigTypes.word(Format.class),
          Format.AVRO,
          "How a value is written: `avro` (single-object encoding, which another job reads),"
              + " `json`, or `text`, the translation's text alone."
              + JSON);
  public static final ConfigKey<Format> FORMAT =
      ConfigKey.of(
          "format",
          ConfigTypes.word(Format.class),
          Format.TEXT,
          "`avro` for Avro object container files, `json`, or `text`: one record a line." + JSON);
  public static final ConfigKey<Format> LINE_FORMAT =
      ConfigKey.of(
          "format",
          ConfigTypes.word(Format.class, List.of(Format.JSON, Format.TEXT)),
          Format.TEXT,
          "`json`, or `text`: the translation's text alone." + JSON);
  public static final ConfigKey<Format> DEAD_FORMAT =
      ConfigKey.of(
          "format",
          ConfigTypes.word(Format.class),
          Format.TEXT,
          "`avro` for Avro object container files; `json` and `text` are both one line of JSON a"
              + " record.");

  /** The keys of formats; a section has at most one of them. */
  static final List<ConfigKey<Format>> FORMATS =
      List.of(KAFKA_FORMAT, FORMAT, LINE_FORMAT, DEAD_FORMAT);

  public static final ConfigSection KAFKA =
      ConfigSection.of(
          "kafka",
          "A Kafka topic. Keys, headers and event time are those of the source's records.",
          NAME,
          ClientKeys.BOOTSTRAP_SERVERS,
          TOPIC,
          KAFKA_FORMAT,
          DELIVERY,
          TRANSACTIONAL_ID_PREFIX,
          LOST_TRANSACTIONS,
          PRODUCER_PROPERTIES);
  public static final ConfigSection FILES =
      ConfigSection.of(
          "files", "Files in a folder, finished at each checkpoint.", NAME, FOLDER, FORMAT);
  public static final ConfigSection PRINT =
      ConfigSection.of("print", "One line per record on standard output.", NAME, LINE_FORMAT);

  public static final ConfigKey<Double> QUALITY_FROM =
      ConfigKey.of(
          "quality-from",
          ConfigTypes.number(0, 1),
          0.0,
          "The sink gets only translations that are right with at least this probability, which"
              + " needs a model, or weights of phrases, with a judge of quality; and records without a"
              + " quality.");
  public static final ConfigKey<Double> QUALITY_BELOW =
      ConfigKey.of(
          "quality-below",
          ConfigTypes.number(0, QualityRange.NO_END),
          QualityRange.NO_END,
          "The sink gets only translations that are right with a lower probability than this, and no"
              + " records without a quality; at 1, it gets all. Above `quality-from`, unless that is 1,"
              + " too.");

  /** {@link #PRINT} for a job's records. */
  public static final ConfigSection PRINT_RECORDS = ofRecords(PRINT);

  /** The sinks of a job's records. */
  public static final List<ConfigSection> RECORDS =
      List.of(ofRecords(KAFKA), ofRecords(FILES), PRINT_RECORDS);

  private static ConfigSection ofRecords(ConfigSection sink) {
    return sink.with(QUALITY_FROM, QUALITY_BELOW);
  }

  /** The key for the sinks of a stage's tables. */
  public static final ConfigKey<List<Choice>> TABLES =
      ConfigKey.of(
          "sinks",
          ConfigTypes.list(ConfigTypes.choice(List.of(KAFKA, FILES, PRINT))),
          List.of(new Choice(PRINT.settings().build())),
          "Where the tables go, all of them to each; at least one. They are as the sinks of a job,"
              + " but tables have times and keys of their own, and their `text` is a line of"
              + " columns.");

  public static final ConfigSection DEAD_KAFKA =
      ConfigSection.of(
          "kafka",
          "A Kafka topic of `DeadLetter` records.",
          ClientKeys.BOOTSTRAP_SERVERS,
          TOPIC,
          DELIVERY,
          TRANSACTIONAL_ID_PREFIX,
          LOST_TRANSACTIONS,
          PRODUCER_PROPERTIES);
  public static final ConfigSection DEAD_FILES =
      ConfigSection.of(
          "files", "Files in a folder, finished at each checkpoint.", FOLDER, DEAD_FORMAT);
  public static final ConfigSection DEAD_PRINT =
      ConfigSection.of("print", "One line of JSON per record on standard error.");
  public static final ConfigSection DEAD_FAIL =
      ConfigSection.of("fail", "The first dead letter fails the job, so that none goes unnoticed.");

  private SinkKeys() {}
}
