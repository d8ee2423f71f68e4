package io.latimer.pipelines.sink;

import io.latimer.pipelines.client.ClientKeys;
import io.latimer.pipelines.client.ClientProperties;
import io.latimer.pipelines.config.Choice;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Creates the sinks of a job file for records, tables and dead letters. */
public final class Sinks {
  private Sinks() {}

  /**
   * Creates a sink.
   *
   * @param name its name in the job's state
   * @param job name of the job
   */
  public static SinkConfig of(Choice choice, String name, String job) {
    Settings sink = choice.settings();
    return switch (choice.kind()) {
      case "kafka" -> {
        String prefix = sink.get(SinkKeys.TRANSACTIONAL_ID_PREFIX);
        yield new SinkConfig.Kafka(
            name,
            sink.get(ClientKeys.BOOTSTRAP_SERVERS),
            sink.get(SinkKeys.TOPIC),
            format(sink, Format.AVRO),
            sink.get(SinkKeys.DELIVERY) == SinkKeys.Delivery.EXACTLY_ONCE,
            prefix.isEmpty() ? transactionalIdPrefix(job, name) : ended(prefix),
            sink.get(SinkKeys.LOST_TRANSACTIONS) == SinkKeys.LostTransactions.ACCEPT,
            ClientProperties.of(sink.get(SinkKeys.PRODUCER_PROPERTIES)));
      }
      case "files" ->
          new SinkConfig.Files(name, sink.get(SinkKeys.FOLDER), format(sink, Format.TEXT));
      case "print" -> new SinkConfig.Print(name, format(sink, Format.JSON));
      case "fail" -> new SinkConfig.Fail(name);
      default -> throw new IllegalStateException("sink " + choice.kind());
    };
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
    return key(sink.section()).map(sink::get).orElse(only);
  }

  /** The format's key in a sink's section; empty if there is no choice. */
  public static Optional<ConfigKey<Format>> key(ConfigSection section) {
    return SinkKeys.FORMATS.stream().filter(section.keys()::contains).findFirst();
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
    if (!settings.section().keys().contains(SinkKeys.TABLES)) {
      return List.of();
    }
    List<SinkConfig> sinks = new ArrayList<>();
    for (Choice choice : settings.get(SinkKeys.TABLES)) {
      String own = choice.settings().get(SinkKeys.NAME);
      // sink names have no slash, so this name is unique
      String name = stage + "/" + (own.isEmpty() ? choice.kind() : own);
      sinks.add(of(choice, name, job));
    }
    return sinks;
  }
}
