package io.latimer.pipelines.job;

import io.latimer.pipelines.client.ClientKeys;
import io.latimer.pipelines.client.ClientProperties;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.sink.Sinks;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;

/**
 * Where commands to the running job come from.
 *
 * @param bootstrapServers host:port, separated by commas
 * @param topic Kafka topic of {@code ControlCommand} records; empty if the job takes no commands
 * @param start where to start without state: {@code earliest} or {@code latest}
 * @param properties client properties, such as SASL and SSL, passed on unchanged
 * @param loadTimeout maximum time for a subtask to load what a command needs; 1 ms or more
 * @param follow the stages that use published models, without duplicates
 * @param status destinations of {@code ControlStatus} records; each receives all of them
 * @param learn the stages that learn from corrections, without duplicates
 */
public record ControlConfig(
    String bootstrapServers,
    String topic,
    String start,
    ClientProperties properties,
    Duration loadTimeout,
    List<Follow> follow,
    List<SinkConfig> status,
    List<Learn> learn) {

  /** Begins the names of the sinks: those of records and tables have at most one slash. */
  private static final String SINKS = "control/status/";

  public ControlConfig {
    follow = List.copyOf(follow);
    if (topic.isEmpty() && !follow.isEmpty()) {
      throw new IllegalArgumentException(
          "control.topic: is empty, but a stage follows a topic of models; name the topic of the"
              + " commands");
    }
    status = List.copyOf(status);
    learn = List.copyOf(learn);
    if (topic.isEmpty() && !learn.isEmpty()) {
      throw new IllegalArgumentException(
          "control.topic: is empty, but a stage learns; name the topic of the commands");
    }
    if (topic.isEmpty() && !status.isEmpty()) {
      throw new IllegalArgumentException(
          "control.topic: is empty, but there are sinks for statuses; name the topic of the"
              + " commands");
    }
  }

  static Settings completed(Settings control, String job) {
    return control
        .map(JobKeys.Control.STATUS, sinks -> Sinks.completed(sinks, SINKS, job))
        .map(JobKeys.Control.LEARN, all -> all.stream().map(Learn::completed).toList());
  }

  static ControlConfig of(Settings control) {
    return new ControlConfig(
        control.get(ClientKeys.BOOTSTRAP_SERVERS),
        control.get(JobKeys.Control.TOPIC),
        control.get(JobKeys.Control.START),
        ClientProperties.of(control.get(JobKeys.Control.CLIENT_PROPERTIES)),
        control.get(JobKeys.Control.LOAD_TIMEOUT),
        control.get(JobKeys.Control.FOLLOW).stream().map(Follow::of).toList(),
        Sinks.of(control.get(JobKeys.Control.STATUS), SINKS),
        control.get(JobKeys.Control.LEARN).stream().map(Learn::of).toList());
  }

  /** Whether the job takes commands. */
  public boolean isOn() {
    return !topic.isEmpty();
  }

  /**
   * A stage that uses the models of a topic.
   *
   * @param stage name of a stage {@code score}
   * @param topic Kafka topic of {@code PublishedModel} records
   * @param feed feed of the models; empty for models of all feeds taken together
   * @param running whether to use running models instead of those of windows
   */
  public record Follow(String stage, String topic, String feed, boolean running)
      implements Serializable {
    private static Follow of(Settings follow) {
      return new Follow(
          follow.get(JobKeys.Follow.STAGE),
          follow.get(JobKeys.Follow.TOPIC),
          follow.get(JobKeys.Follow.FEED),
          follow.get(JobKeys.Follow.RUNNING));
    }
  }

  /**
   * How a stage learns sentence pairs, or terms beside its glossary, while the job runs.
   *
   * @param stage the {@link io.latimer.pipelines.stage.IndexName} of the index beside which it
   *     learns: that of a stage {@code phrases} or {@code translate}, or {@code translate.glossary}
   * @param corrections Kafka topic of {@code Correction} records; empty if there is none
   * @param maxPairs maximum number of learned pairs or terms beside the index file, 1 or more
   * @param maxBytes maximum size of these in the state
   * @param compactPairs number of pairs at which they are written to a new index file
   * @param compactDirectory folder of these files: a local path, or a URI of a file system of the
   *     engine; empty for none
   */
  public record Learn(
      String stage,
      String corrections,
      int maxPairs,
      long maxBytes,
      int compactPairs,
      String compactDirectory)
      implements Serializable {

    /** Maximum number of pairs or terms that can be configured to be kept beside an index. */
    public static final int MOST_PAIRS = 100_000;

    private static Learn of(Settings learn) {
      Settings compact = learn.get(JobKeys.Learn.COMPACT);
      return new Learn(
          learn.get(JobKeys.Learn.STAGE),
          learn.get(JobKeys.Learn.CORRECTIONS),
          learn.get(JobKeys.Learn.MAX_PAIRS),
          learn.get(JobKeys.Learn.MAX_SIZE),
          compact.get(JobKeys.Compact.PAIRS),
          compact.get(JobKeys.Compact.DIRECTORY));
    }

    private static Settings completed(Settings learn) {
      try {
        return learn.map(
            JobKeys.Learn.COMPACT,
            compact ->
                compact.map(
                    JobKeys.Compact.DIRECTORY,
                    folder -> folder.isEmpty() ? "" : IndexFiles.folder(folder)));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "control.learn: compact.directory: " + e.getMessage(), e);
      }
    }

    /** Whether learned pairs are written to new index files. */
    public boolean isCompacted() {
      return !compactDirectory.isEmpty();
    }

    /** A copy without compaction to new index files. */
    public Learn uncompacted() {
      return new Learn(stage, corrections, maxPairs, maxBytes, compactPairs, "");
    }
  }
}
