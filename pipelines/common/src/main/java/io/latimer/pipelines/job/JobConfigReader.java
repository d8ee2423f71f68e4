package io.latimer.pipelines.job;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.client.ClientKeys;
import io.latimer.pipelines.client.ClientProperties;
import io.latimer.pipelines.config.Choice;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.config.ConfigFile;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.feed.FeedKeys;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.index.IndexSettings;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.sink.SinkKeys;
import io.latimer.pipelines.sink.Sinks;
import io.latimer.pipelines.source.InputConfig;
import io.latimer.pipelines.source.SourceConfig;
import io.latimer.pipelines.source.SourceKeys;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.pipelines.stages.Stages;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads job files. */
public final class JobConfigReader {
  /** Maximum size of a job file. */
  private static final int MAX_BYTES = 64 << 20;

  private JobConfigReader() {}

  /**
   * Reads a job file.
   *
   * @param file in YAML and UTF-8; its relative paths belong to its folder
   * @throws ConfigException if it is invalid; gives every problem with its line
   * @throws IOException if it cannot be read
   */
  public static JobConfig read(Path file) throws IOException {
    if (Files.isDirectory(file)) { // Java's own message lacks the name
      throw new FileSystemException(file.toString(), null, "a folder; expected a job file");
    }
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes(MAX_BYTES + 1);
    }
    if (bytes.length > MAX_BYTES) {
      throw new ConfigException(
          file.toString(), List.of("line 1: the file has more than " + MAX_BYTES + " bytes"));
    }
    String yaml;
    try {
      yaml = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      ConfigException error =
          new ConfigException(file.toString(), List.of("line 1: the file is not valid UTF-8"));
      error.initCause(e);
      throw error;
    }
    return read(yaml, file.toString(), file.toAbsolutePath().getParent());
  }

  /**
   * Reads a job file's text.
   *
   * @param yaml the text
   * @param name its name in messages
   * @param base the folder that its relative paths refer to
   * @throws ConfigException if it is invalid; gives every problem with its line
   */
  public static JobConfig read(String yaml, String name, Path base) {
    Settings settings = ConfigFile.read(JobKeys.JOB, yaml, name, base);
    try {
      return of(settings);
    } catch (IllegalArgumentException e) {
      // the problem concerns several keys; the message starts with the path of one of them
      String path = e.getMessage().substring(0, e.getMessage().indexOf(':'));
      int line = ConfigFile.lineOf(yaml, path);
      ConfigException error =
          new ConfigException(name, List.of("line " + line + ": " + e.getMessage()));
      error.initCause(e);
      throw error;
    }
  }

  private static JobConfig of(Settings job) {
    String name = job.get(JobKeys.NAME);
    List<StageConfig> stages = new ArrayList<>();
    for (Choice stage : job.get(JobKeys.STAGES)) {
      StageConfig config = new StageConfig(stage.settings());
      try {
        Stages.check(config);
      } catch (OperatorException e) {
        throw new IllegalArgumentException(
            "stages[" + stages.size() + "]." + stage.kind() + ": " + e.getMessage(), e);
      }
      stages.add(config);
    }
    List<SinkConfig> sinks = new ArrayList<>();
    for (Choice choice : job.get(JobKeys.SINKS)) {
      String own = choice.settings().get(SinkKeys.NAME);
      sinks.add(Sinks.of(choice, own.isEmpty() ? choice.kind() : own, name));
    }
    Settings checkpoints = job.get(JobKeys.CHECKPOINTS);
    Settings restarts = job.get(JobKeys.RESTARTS);
    Settings eventTime = job.get(JobKeys.EVENT_TIME);
    return new JobConfig(
        name,
        source(job.get(JobKeys.SOURCE), name),
        input(job.get(JobKeys.INPUT)),
        new JobConfig.EventTime(
            eventTime.get(JobKeys.EventTime.OUT_OF_ORDERNESS),
            eventTime.get(JobKeys.EventTime.IDLENESS),
            eventTime.get(JobKeys.EventTime.MAX_AHEAD)),
        batching(job.get(JobKeys.BATCH)),
        stages,
        indexes(job.get(JobKeys.INDEXES)),
        sinks,
        Sinks.of(job.get(JobKeys.DEAD_LETTERS), JobConfig.DEAD_LETTERS, name),
        control(job.get(JobKeys.CONTROL), name),
        new JobConfig.Checkpoints(
            checkpoints.get(JobKeys.Checkpoints.INTERVAL),
            checkpoints.get(JobKeys.Checkpoints.TIMEOUT),
            withScheme(checkpoints.get(JobKeys.Checkpoints.DIRECTORY))),
        new JobConfig.Restarts(
            restarts.get(JobKeys.Restarts.ATTEMPTS),
            restarts.get(JobKeys.Restarts.DELAY),
            restarts.get(JobKeys.Restarts.QUIET)),
        job.get(JobKeys.PARALLELISM),
        job.get(JobKeys.MAX_PARALLELISM),
        ClientProperties.of(job.get(JobKeys.ENGINE)),
        written(job, checkpoints, restarts));
  }

  private static Set<JobConfig.EngineKey> written(
      Settings job, Settings checkpoints, Settings restarts) {
    Map<JobConfig.EngineKey, Boolean> written =
        Map.of(
            JobConfig.EngineKey.PARALLELISM, job.isWritten(JobKeys.PARALLELISM),
            JobConfig.EngineKey.MAX_PARALLELISM, job.isWritten(JobKeys.MAX_PARALLELISM),
            JobConfig.EngineKey.CHECKPOINT_INTERVAL,
                checkpoints.isWritten(JobKeys.Checkpoints.INTERVAL),
            JobConfig.EngineKey.CHECKPOINT_TIMEOUT,
                checkpoints.isWritten(JobKeys.Checkpoints.TIMEOUT),
            JobConfig.EngineKey.RESTARTS,
                restarts.section().keys().stream().anyMatch(restarts::isWritten));
    return written.entrySet().stream()
        .filter(Map.Entry::getValue)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  private static SourceConfig source(Choice choice, String job) {
    Settings source = choice.settings();
    return switch (choice.kind()) {
      case "kafka" -> {
        String group = source.get(SourceKeys.Kafka.GROUP_ID);
        yield new SourceConfig.Kafka(
            source.get(ClientKeys.BOOTSTRAP_SERVERS),
            source.get(SourceKeys.Kafka.TOPICS),
            source.get(SourceKeys.Kafka.TOPIC_PATTERN),
            group.isEmpty() ? job : group,
            source.get(SourceKeys.Kafka.START),
            source.get(SourceKeys.Kafka.BOUNDED),
            source.get(SourceKeys.Kafka.TOMBSTONES),
            ClientProperties.of(source.get(SourceKeys.Kafka.CLIENT_PROPERTIES)));
      }
      case "files" ->
          new SourceConfig.Files(
              source.get(SourceKeys.Files.PATH), source.get(SourceKeys.Files.WATCH));
      case "socket" ->
          new SourceConfig.Socket(
              source.get(SourceKeys.Socket.HOST), source.get(SourceKeys.Socket.PORT));
      case "feed" -> {
        try {
          yield new SourceConfig.Feed(FeedKeys.config(source));
        } catch (IllegalArgumentException e) {
          throw new IllegalArgumentException("source.feed." + e.getMessage(), e);
        }
      }
      case "list" -> new SourceConfig.Lines(source.get(SourceKeys.Lines.LINES));
      default -> throw new IllegalStateException("source " + choice.kind());
    };
  }

  private static InputConfig input(Settings input) {
    return new InputConfig(
        input.get(SourceKeys.Input.ENCODING),
        input.get(SourceKeys.Input.FEED),
        input.get(SourceKeys.Input.LANGUAGE),
        input.get(SourceKeys.Input.MAX_RECORD_BYTES));
  }

  static IndexSettings indexes(Settings indexes) {
    String directory = indexes.get(JobKeys.Indexes.DIRECTORY);
    try {
      return new IndexSettings(
          directory.isEmpty() ? "" : ConfigTypes.localFile(directory).toString(),
          indexes.get(JobKeys.Indexes.MAX_SIZE));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("indexes.directory: " + e.getMessage(), e);
    }
  }

  private static JobConfig.Batching batching(Settings batch) {
    return new JobConfig.Batching(
        new MicroBatcher.Limits(
            batch.get(JobKeys.Batch.MAX_RECORDS),
            batch.get(JobKeys.Batch.MAX_TOKENS),
            batch.get(JobKeys.Batch.MAX_WAIT).toMillis()),
        batch.get(JobKeys.Batch.IN_FLIGHT),
        batch.get(JobKeys.Batch.ORDERED),
        batch.get(JobKeys.Batch.TIMEOUT),
        batch.get(JobKeys.Batch.ATTEMPTS),
        batch.get(JobKeys.Batch.GROUP));
  }

  private static JobConfig.Control control(Settings control, String job) {
    List<SinkConfig> status = new ArrayList<>();
    for (Choice choice : control.get(JobKeys.Control.STATUS)) {
      String own = choice.settings().get(SinkKeys.NAME);
      // unique: no sink of records or tables has two slashes in its name
      String name = "control/status/" + (own.isEmpty() ? choice.kind() : own);
      status.add(Sinks.of(choice, name, job));
    }
    return new JobConfig.Control(
        control.get(ClientKeys.BOOTSTRAP_SERVERS),
        control.get(JobKeys.Control.TOPIC),
        control.get(JobKeys.Control.START),
        ClientProperties.of(control.get(JobKeys.Control.CLIENT_PROPERTIES)),
        control.get(JobKeys.Control.LOAD_TIMEOUT),
        control.get(JobKeys.Control.FOLLOW).stream().map(JobConfigReader::follow).toList(),
        status,
        control.get(JobKeys.Control.LEARN).stream().map(JobConfigReader::learn).toList());
  }

  private static JobConfig.Learn learn(Settings learn) {
    Settings compact = learn.get(JobKeys.Learn.COMPACT);
    String directory = compact.get(JobKeys.Compact.DIRECTORY);
    try {
      return new JobConfig.Learn(
          learn.get(JobKeys.Learn.STAGE),
          learn.get(JobKeys.Learn.CORRECTIONS),
          learn.get(JobKeys.Learn.MAX_PAIRS),
          learn.get(JobKeys.Learn.MAX_SIZE),
          compact.get(JobKeys.Compact.PAIRS),
          directory.isEmpty() ? "" : IndexFiles.folder(directory));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("control.learn: compact.directory: " + e.getMessage(), e);
    }
  }

  private static JobConfig.Follow follow(Settings follow) {
    return new JobConfig.Follow(
        follow.get(JobKeys.Follow.STAGE),
        follow.get(JobKeys.Follow.TOPIC),
        follow.get(JobKeys.Follow.FEED),
        follow.get(JobKeys.Follow.RUNNING));
  }

  /** Converts the checkpoint folder to a URI, as engines expect. */
  private static String withScheme(String directory) {
    return directory.startsWith("/") ? "file://" + directory : directory;
  }
}
