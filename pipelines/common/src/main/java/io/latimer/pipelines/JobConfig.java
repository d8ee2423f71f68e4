package io.latimer.pipelines;

import java.io.Serializable;
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
    Source source,
    Input input,
    EventTime eventTime,
    Batching batch,
    List<StageConfig> stages,
    List<Sink> sinks,
    Sink deadLetters,
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
    List<Sink> tableSinks = new ArrayList<>();
    for (StageConfig stage : stages) {
      List<Sink> own = Sinks.ofTables(stage, name);
      requireUnique("stages", own.stream().map(Sink::name).toList());
      tableSinks.addAll(own);
    }
    if (sinks.isEmpty() && tableSinks.isEmpty()) {
      throw new IllegalArgumentException("sinks: a job needs at least one sink, such as print");
    }
    requireUnique("stages", stages.stream().map(StageConfig::name).toList());
    requireUnique("sinks", sinks.stream().map(Sink::name).toList());
    if (parallelism < 1 || parallelism > maxParallelism || maxParallelism > 1 << 15) {
      throw new IllegalArgumentException(
          "parallelism: must be from 1 to max-parallelism, and that at most 32768; found "
              + parallelism
              + " and "
              + maxParallelism);
    }
    List<Sink> recordSinks = sinks;
    List<Sink> all =
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
  private static void requireOwnTransactions(List<Sink> sinks) {
    Set<String> seen = new HashSet<>();
    for (Sink sink : sinks) {
      if (sink instanceof KafkaSink kafka
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

  private static void requireNoTransactions(Sink sink) {
    if (sink instanceof KafkaSink kafka && kafka.exactlyOnce()) {
      throw new IllegalArgumentException(
          "checkpoints.interval: is 0, but sink "
              + sink.name()
              + " is exactly-once and commits at checkpoints; set an interval, or delivery:"
              + " at-least-once");
    }
    if (sink instanceof FileSink) {
      throw new IllegalArgumentException(
          "checkpoints.interval: is 0, but sink "
              + sink.name()
              + " finishes its files at checkpoints; set an interval");
    }
  }

  /** The job as a job file that {@link JobConfigReader} reads: everything, secrets as written. */
  public String toYaml() {
    return JobConfigWriter.yaml(this);
  }

  /** Where sentences come from. */
  public sealed interface Source {}

  /**
   * Kafka topics.
   *
   * @param bootstrapServers host:port, several separated by commas
   * @param topics names; empty where there is a pattern
   * @param topicPattern regular expression of topics' names; empty where there are names
   * @param group consumer group; not empty
   * @param start where to begin without state: {@code committed} (the group's offsets, else the
   *     earliest), {@code earliest}, {@code latest}, or an instant such as {@code
   *     2026-11-21T12:00:00Z} (the first records with a timestamp not before it)
   * @param bounded whether to stop at the offsets that were the last when the job began
   * @param properties client properties, such as SASL and SSL, passed on as they are
   */
  public record KafkaSource(
      String bootstrapServers,
      List<String> topics,
      String topicPattern,
      String group,
      String start,
      boolean bounded,
      ClientProperties properties)
      implements Source {
    public KafkaSource {
      topics = List.copyOf(topics);
      if (topics.isEmpty() == topicPattern.isEmpty()) {
        throw new IllegalArgumentException(
            "source.kafka: give either topics or topic-pattern, and not both");
      }
    }
  }

  /**
   * Text files, one sentence a line.
   *
   * @param path a file or a folder: an absolute path or a URI
   * @param watch how often to look for new files; zero reads what is there and ends
   */
  public record FileSource(String path, Duration watch) implements Source {}

  /** Lines from a TCP socket, to which the job connects. */
  public record SocketSource(String host, int port) implements Source {}

  /** Lines that are part of the job. */
  public record ListSource(List<String> lines) implements Source {
    public ListSource {
      lines = List.copyOf(lines);
    }
  }

  /** How a record's bytes are encoded. */
  public enum Encoding {
    /** Avro where the bytes begin as such a record does, and text otherwise. */
    AUTO,
    /** {@code Sentence} in Avro's single-object encoding. */
    AVRO,
    /** UTF-8, one sentence a record. */
    TEXT
  }

  /**
   * How the bytes of a source become sentences.
   *
   * @param encoding what the bytes are
   * @param feed the feed of plain text; empty for the name of its topic or file
   * @param language BCP 47 tag of plain text; may be empty
   * @param maxRecordBytes a longer record is a dead letter
   */
  public record Input(Encoding encoding, String feed, String language, int maxRecordBytes)
      implements Serializable {
    /** Both encodings, feed and language unknown, records of at most 1 MiB. */
    public static final Input DEFAULTS = new Input(Encoding.AUTO, "", "", 1 << 20);
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

  /** Where records go. */
  public sealed interface Sink {
    /** Its name in the job's state, unique within a job; {@link #DEAD_LETTERS} for that one. */
    String name();
  }

  /**
   * A Kafka topic.
   *
   * @param exactlyOnce transactions, seen by readers with {@code isolation.level=read_committed}
   *     after each checkpoint; otherwise at least once, and at once
   * @param transactionalIdPrefix of its transactions, unique within the Kafka cluster; not empty
   * @param properties client properties, such as SASL and SSL, passed on as they are
   */
  public record KafkaSink(
      String name,
      String bootstrapServers,
      String topic,
      boolean exactlyOnce,
      String transactionalIdPrefix,
      ClientProperties properties)
      implements Sink {}

  /**
   * Files in a folder, each finished at a checkpoint.
   *
   * @param path the folder: an absolute path or a URI
   * @param avro Avro object container files; otherwise text, one record a line
   */
  public record FileSink(String name, String path, boolean avro) implements Sink {}

  /** One line a record on standard output. */
  public record PrintSink(String name) implements Sink {}

  /** For dead letters: the first one fails the job. */
  public record FailSink(String name) implements Sink {}

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
