package io.latimer.pipelines.source;

import io.latimer.pipelines.client.ClientKeys;
import io.latimer.pipelines.client.ClientProperties;
import io.latimer.pipelines.config.Choice;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.feed.FeedConfig;
import java.time.Duration;
import java.util.List;

/** Where a job's sentences come from. */
public sealed interface SourceConfig {
  /**
   * Sets what a source's settings leave to the name of the job: the consumer group.
   *
   * @param job name of the job
   */
  static Choice completed(Choice source, String job) {
    Settings settings = source.settings();
    return settings.has(SourceKeys.Kafka.GROUP_ID)
        ? new Choice(
            settings.map(SourceKeys.Kafka.GROUP_ID, group -> group.isEmpty() ? job : group))
        : source;
  }

  /**
   * Creates a source.
   *
   * @param choice its {@link #completed} settings
   * @throws IllegalArgumentException if they do not go together; the message begins with a key's
   *     path
   */
  static SourceConfig of(Choice choice) {
    Settings source = choice.settings();
    return switch (choice.kind()) {
      case "kafka" ->
          new Kafka(
              source.get(ClientKeys.BOOTSTRAP_SERVERS),
              source.get(SourceKeys.Kafka.TOPICS),
              source.get(SourceKeys.Kafka.TOPIC_PATTERN),
              source.get(SourceKeys.Kafka.GROUP_ID),
              source.get(SourceKeys.Kafka.START),
              source.get(SourceKeys.Kafka.BOUNDED),
              source.get(SourceKeys.Kafka.TOMBSTONES),
              ClientProperties.of(source.get(SourceKeys.Kafka.CLIENT_PROPERTIES)));
      case "files" ->
          new Files(source.get(SourceKeys.Files.PATH), source.get(SourceKeys.Files.WATCH));
      case "socket" ->
          new Socket(source.get(SourceKeys.Socket.HOST), source.get(SourceKeys.Socket.PORT));
      case "feed" -> {
        try {
          yield new Feed(new FeedConfig(source));
        } catch (IllegalArgumentException e) {
          throw new IllegalArgumentException("source.feed." + e.getMessage(), e);
        }
      }
      case "list" -> new Lines(source.get(SourceKeys.Lines.LINES));
      default -> throw new IllegalStateException("source " + choice.kind());
    };
  }

  /**
   * Kafka topics.
   *
   * @param bootstrapServers host:port, separated by commas
   * @param topics names; empty if there is a pattern
   * @param topicPattern regular expression for names of topics; empty if there are names
   * @param group consumer group; not empty
   * @param start where to start without state: {@code committed} (the group's offsets, else the
   *     earliest), {@code earliest}, {@code latest}, or an instant such as {@code
   *     2026-11-21T12:00:00Z} (the first records with a timestamp not before it)
   * @param bounded whether to stop at the offsets that were the latest when the job started
   * @param tombstones how records without a value are handled
   * @param properties client properties, such as SASL and SSL, passed on unchanged
   */
  record Kafka(
      String bootstrapServers,
      List<String> topics,
      String topicPattern,
      String group,
      String start,
      boolean bounded,
      Tombstones tombstones,
      ClientProperties properties)
      implements SourceConfig {
    public Kafka {
      topics = List.copyOf(topics);
      if (topics.isEmpty() == topicPattern.isEmpty()) {
        throw new IllegalArgumentException(
            "source.kafka: give either topics or topic-pattern, not both");
      }
    }
  }

  /**
   * Text files, one sentence per line.
   *
   * @param path a file or a folder: an absolute path or a URI
   * @param watch interval for checking for new files; zero reads the existing files and ends
   */
  record Files(String path, Duration watch) implements SourceConfig {}

  /** Lines from a TCP socket to which the job connects. */
  record Socket(String host, int port) implements SourceConfig {}

  /** A live feed. */
  record Feed(FeedConfig config) implements SourceConfig {}

  /** Lines that are part of the job. */
  record Lines(List<String> lines) implements SourceConfig {
    public Lines {
      lines = List.copyOf(lines);
    }
  }
}
