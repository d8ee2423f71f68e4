package io.latimer.pipelines.source;

import io.latimer.pipelines.client.ClientProperties;
import io.latimer.pipelines.feed.FeedConfig;
import java.time.Duration;
import java.util.List;

/** Where a job's sentences come from. */
public sealed interface SourceConfig {
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
