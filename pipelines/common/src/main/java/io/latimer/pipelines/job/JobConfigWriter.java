package io.latimer.pipelines.job;

import io.latimer.pipelines.client.ClientKeys;
import io.latimer.pipelines.config.Choice;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.feed.FeedKeys;
import io.latimer.pipelines.sink.Format;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.sink.SinkKeys;
import io.latimer.pipelines.sink.Sinks;
import io.latimer.pipelines.source.InputConfig;
import io.latimer.pipelines.source.SourceConfig;
import io.latimer.pipelines.source.SourceKeys;
import java.time.Duration;

/** Writes jobs as settings of job files, with every key. */
final class JobConfigWriter {
  private JobConfigWriter() {}

  static Settings settings(JobConfig job) {
    return JobKeys.JOB
        .settings()
        .set(JobKeys.NAME, job.name())
        .set(JobKeys.SOURCE, new Choice(source(job.source())))
        .set(JobKeys.INPUT, input(job.input()))
        .set(
            JobKeys.EVENT_TIME,
            JobKeys.EventTime.SECTION
                .settings()
                .set(JobKeys.EventTime.OUT_OF_ORDERNESS, job.eventTime().outOfOrderness())
                .set(JobKeys.EventTime.IDLENESS, job.eventTime().idleness())
                .set(JobKeys.EventTime.MAX_AHEAD, job.eventTime().maxAhead())
                .build())
        .set(JobKeys.BATCH, batch(job.batch()))
        .set(
            JobKeys.STAGES,
            job.stages().stream().map(stage -> new Choice(stage.settings())).toList())
        .set(
            JobKeys.INDEXES,
            JobKeys.Indexes.SECTION
                .settings()
                .set(JobKeys.Indexes.DIRECTORY, job.indexes().directory())
                .set(JobKeys.Indexes.MAX_SIZE, job.indexes().maxBytes())
                .build())
        .set(
            JobKeys.SINKS, job.sinks().stream().map(sink -> new Choice(sink(sink, false))).toList())
        .set(JobKeys.DEAD_LETTERS, new Choice(sink(job.deadLetters(), true)))
        .set(JobKeys.CONTROL, control(job.control()))
        .set(JobKeys.PARALLELISM, job.parallelism())
        .set(JobKeys.MAX_PARALLELISM, job.maxParallelism())
        .set(
            JobKeys.CHECKPOINTS,
            JobKeys.Checkpoints.SECTION
                .settings()
                .set(JobKeys.Checkpoints.INTERVAL, job.checkpoints().interval())
                .set(JobKeys.Checkpoints.TIMEOUT, job.checkpoints().timeout())
                .set(JobKeys.Checkpoints.DIRECTORY, job.checkpoints().directory())
                .build())
        .set(
            JobKeys.RESTARTS,
            JobKeys.Restarts.SECTION
                .settings()
                .set(JobKeys.Restarts.ATTEMPTS, job.restarts().attempts())
                .set(JobKeys.Restarts.DELAY, job.restarts().delay())
                .set(JobKeys.Restarts.QUIET, job.restarts().quiet())
                .build())
        .set(JobKeys.ENGINE, job.engineSettings().unresolved())
        .build();
  }

  private static Settings source(SourceConfig source) {
    if (source instanceof SourceConfig.Kafka kafka) {
      return SourceKeys.Kafka.SECTION
          .settings()
          .set(ClientKeys.BOOTSTRAP_SERVERS, kafka.bootstrapServers())
          .set(SourceKeys.Kafka.TOPICS, kafka.topics())
          .set(SourceKeys.Kafka.TOPIC_PATTERN, kafka.topicPattern())
          .set(SourceKeys.Kafka.GROUP_ID, kafka.group())
          .set(SourceKeys.Kafka.START, kafka.start())
          .set(SourceKeys.Kafka.BOUNDED, kafka.bounded())
          .set(SourceKeys.Kafka.TOMBSTONES, kafka.tombstones())
          .set(SourceKeys.Kafka.CLIENT_PROPERTIES, kafka.properties().unresolved())
          .build();
    }
    if (source instanceof SourceConfig.Files files) {
      return SourceKeys.Files.SECTION
          .settings()
          .set(SourceKeys.Files.PATH, files.path())
          .set(SourceKeys.Files.WATCH, files.watch())
          .build();
    }
    if (source instanceof SourceConfig.Socket socket) {
      return SourceKeys.Socket.SECTION
          .settings()
          .set(SourceKeys.Socket.HOST, socket.host())
          .set(SourceKeys.Socket.PORT, socket.port())
          .build();
    }
    if (source instanceof SourceConfig.Feed feed) {
      return FeedKeys.settings(feed.config());
    }
    SourceConfig.Lines list = (SourceConfig.Lines) source;
    return SourceKeys.Lines.SECTION.settings().set(SourceKeys.Lines.LINES, list.lines()).build();
  }

  private static Settings input(InputConfig input) {
    return SourceKeys.Input.SECTION
        .settings()
        .set(SourceKeys.Input.ENCODING, input.encoding())
        .set(SourceKeys.Input.FEED, input.feed())
        .set(SourceKeys.Input.LANGUAGE, input.language())
        .set(SourceKeys.Input.MAX_RECORD_BYTES, input.maxRecordBytes())
        .build();
  }

  private static Settings batch(JobConfig.Batching batch) {
    return JobKeys.Batch.SECTION
        .settings()
        .set(JobKeys.Batch.MAX_RECORDS, batch.limits().records())
        .set(JobKeys.Batch.MAX_TOKENS, batch.limits().tokens())
        .set(JobKeys.Batch.MAX_WAIT, Duration.ofMillis(batch.limits().millis()))
        .set(JobKeys.Batch.IN_FLIGHT, batch.inFlight())
        .set(JobKeys.Batch.ORDERED, batch.ordered())
        .set(JobKeys.Batch.TIMEOUT, batch.timeout())
        .set(JobKeys.Batch.ATTEMPTS, batch.attempts())
        .set(JobKeys.Batch.GROUP, batch.group())
        .build();
  }

  private static Settings control(JobConfig.Control control) {
    return JobKeys.Control.SECTION
        .settings()
        .set(ClientKeys.BOOTSTRAP_SERVERS, control.bootstrapServers())
        .set(JobKeys.Control.TOPIC, control.topic())
        .set(JobKeys.Control.START, control.start())
        .set(JobKeys.Control.CLIENT_PROPERTIES, control.properties().unresolved())
        .set(JobKeys.Control.LOAD_TIMEOUT, control.loadTimeout())
        .set(
            JobKeys.Control.FOLLOW, control.follow().stream().map(JobConfigWriter::follow).toList())
        .set(
            JobKeys.Control.STATUS,
            control.status().stream().map(sink -> new Choice(sink(sink, false))).toList())
        .set(JobKeys.Control.LEARN, control.learn().stream().map(JobConfigWriter::learn).toList())
        .build();
  }

  private static Settings learn(JobConfig.Learn learn) {
    return JobKeys.Learn.SECTION
        .settings()
        .set(JobKeys.Learn.STAGE, learn.stage())
        .set(JobKeys.Learn.CORRECTIONS, learn.corrections())
        .set(JobKeys.Learn.MAX_PAIRS, learn.maxPairs())
        .set(JobKeys.Learn.MAX_SIZE, learn.maxBytes())
        .set(
            JobKeys.Learn.COMPACT,
            JobKeys.Compact.SECTION
                .settings()
                .set(JobKeys.Compact.PAIRS, learn.compactPairs())
                .set(JobKeys.Compact.DIRECTORY, learn.compactDirectory())
                .build())
        .build();
  }

  private static Settings follow(JobConfig.Follow follow) {
    return JobKeys.Follow.SECTION
        .settings()
        .set(JobKeys.Follow.STAGE, follow.stage())
        .set(JobKeys.Follow.TOPIC, follow.topic())
        .set(JobKeys.Follow.FEED, follow.feed())
        .set(JobKeys.Follow.RUNNING, follow.running())
        .build();
  }

  private static Settings sink(SinkConfig sink, boolean deadLetters) {
    if (sink instanceof SinkConfig.Kafka kafka) {
      return begun(deadLetters ? SinkKeys.DEAD_KAFKA : SinkKeys.KAFKA, sink, kafka.format())
          .set(ClientKeys.BOOTSTRAP_SERVERS, kafka.bootstrapServers())
          .set(SinkKeys.TOPIC, kafka.topic())
          .set(
              SinkKeys.DELIVERY,
              kafka.exactlyOnce()
                  ? SinkKeys.Delivery.EXACTLY_ONCE
                  : SinkKeys.Delivery.AT_LEAST_ONCE)
          .set(SinkKeys.TRANSACTIONAL_ID_PREFIX, kafka.transactionalIdPrefix())
          .set(
              SinkKeys.LOST_TRANSACTIONS,
              kafka.acceptsLostTransactions()
                  ? SinkKeys.LostTransactions.ACCEPT
                  : SinkKeys.LostTransactions.FAIL)
          .set(SinkKeys.PRODUCER_PROPERTIES, kafka.properties().unresolved())
          .build();
    }
    if (sink instanceof SinkConfig.Files files) {
      return begun(deadLetters ? SinkKeys.DEAD_FILES : SinkKeys.FILES, sink, files.format())
          .set(SinkKeys.FOLDER, files.path())
          .build();
    }
    if (sink instanceof SinkConfig.Print print) {
      return begun(deadLetters ? SinkKeys.DEAD_PRINT : SinkKeys.PRINT, sink, print.format())
          .build();
    }
    return SinkKeys.DEAD_FAIL.settings().build();
  }

  /** Starts the settings of a sink with its name and format, if the section has keys for them. */
  private static Settings.Builder begun(ConfigSection section, SinkConfig sink, Format format) {
    Settings.Builder settings = section.settings();
    Sinks.key(section).ifPresent(key -> settings.set(key, format));
    return section.keys().contains(SinkKeys.NAME)
        ? settings.set(SinkKeys.NAME, sink.name().substring(sink.name().lastIndexOf('/') + 1))
        : settings;
  }
}
