package io.latimer.pipelines.sink;

import io.latimer.pipelines.client.ClientKeys;
import io.latimer.pipelines.client.ClientProperties;
import io.latimer.pipelines.config.Choice;
import io.latimer.pipelines.config.Settings;
import java.util.List;

/** Creates the sinks of a job file for records, tables and dead letters. */
public final class Sinks {
  private Sinks() {}

  /**
   * Sets what a sink's settings leave to the names of sink and job: its own name, if it has a key
   * for it, and the prefix of its transactional ids.
   *
   * @param name its name in the job's state, of which its settings have what follows a slash
   * @param job name of the job
   */
  public static Choice completed(Choice sink, String name, String job) {
    Settings settings = sink.settings();
    if (settings.has(SinkKeys.NAME)) {
      settings = settings.with(SinkKeys.NAME, name.substring(name.lastIndexOf('/') + 1));
    }
    if (settings.has(SinkKeys.TRANSACTIONAL_ID_PREFIX)) {
      settings =
          settings.map(
              SinkKeys.TRANSACTIONAL_ID_PREFIX,
              prefix -> prefix.isEmpty() ? transactionalIdPrefix(job, name) : ended(prefix));
    }
    return new Choice(settings);
  }

  /** The name that a sink's settings give it: its own, or its kind. */
  private static String name(Choice sink) {
    String own = sink.settings().get(SinkKeys.NAME);
    return own.isEmpty() ? sink.kind() : own;
  }

  /** Completes sinks whose names in the job's state begin with a prefix. */
  public static List<Choice> completed(List<Choice> sinks, String prefix, String job) {
    return sinks.stream().map(sink -> completed(sink, prefix + name(sink), job)).toList();
  }

  /** Creates sinks whose names in the job's state begin with a prefix. */
  public static List<SinkConfig> of(List<Choice> sinks, String prefix) {
    return sinks.stream().map(sink -> of(sink, prefix + name(sink))).toList();
  }

  /**
   * Creates a sink.
   *
   * @param choice its {@link #completed} settings
   * @param name its name in the job's state
   */
  public static SinkConfig of(Choice choice, String name) {
    Settings sink = choice.settings();
    return switch (choice.kind()) {
      case "kafka" ->
          new SinkConfig.Kafka(
              name,
              sink.get(ClientKeys.BOOTSTRAP_SERVERS),
              sink.get(SinkKeys.TOPIC),
              format(sink, Format.AVRO),
              sink.get(SinkKeys.DELIVERY) == SinkKeys.Delivery.EXACTLY_ONCE,
              sink.get(SinkKeys.TRANSACTIONAL_ID_PREFIX),
              sink.get(SinkKeys.LOST_TRANSACTIONS) == SinkKeys.LostTransactions.ACCEPT,
              ClientProperties.of(sink.get(SinkKeys.PRODUCER_PROPERTIES)),
              range(sink, name));
      case "files" ->
          new SinkConfig.Files(
              name, sink.get(SinkKeys.FOLDER), format(sink, Format.TEXT), range(sink, name));
      case "print" -> new SinkConfig.Print(name, format(sink, Format.JSON), range(sink, name));
      case "fail" -> new SinkConfig.Fail(name);
      default -> throw new IllegalStateException("sink " + choice.kind());
    };
  }

  private static QualityRange range(Settings sink, String name) {
    if (!sink.has(SinkKeys.QUALITY_FROM)) {
      return QualityRange.ALL;
    }
    try {
      return new QualityRange(sink.get(SinkKeys.QUALITY_FROM), sink.get(SinkKeys.QUALITY_BELOW));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("sinks: sink " + name + ": " + e.getMessage(), e);
    }
  }

  /**
   * The prefix of a sink's transactional ids. It is prefix-free: no other names give the same
   * prefix or one that begins with it, because names of sinks have no colon, it is escaped in names
   * of jobs, and another colon ends the prefix.
   */
  static String transactionalIdPrefix(String job, String sink) {
    return job.replace("%", "%25").replace(":", "%3A") + ":" + sink + ":";
  }

  /**
   * Appends a colon, because a sink aborts all open transactions of its topic whose ids begin with
   * its prefix: {@code news} would abort those of a job with prefix {@code news-eu}.
   */
  private static String ended(String prefix) {
    return prefix.endsWith(":") ? prefix : prefix + ":";
  }

  /** The format that a sink's section has a key for, or the only one that it writes. */
  private static Format format(Settings sink, Format only) {
    return SinkKeys.FORMATS.stream().filter(sink::has).findFirst().map(sink::get).orElse(only);
  }

  /**
   * Creates the sinks of a stage's tables.
   *
   * @param settings of the stage
   * @param stage its name
   * @param job name of the job
   * @return empty for stages that make no tables
   */
  public static List<SinkConfig> ofTables(Settings settings, String stage, String job) {
    if (!settings.has(SinkKeys.TABLES)) {
      return List.of();
    }
    String prefix = stage + "/"; // names are unique, because those of sinks have no slash
    return of(completed(settings.get(SinkKeys.TABLES), prefix, job), prefix);
  }
}
