package io.latimer.pipelines;

import io.latimer.pipelines.config.Choice;
import io.latimer.pipelines.config.ConfigFile;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.Settings;
import java.time.Duration;

/** Writes jobs as job files, with every key. */
final class JobConfigWriter {
  private JobConfigWriter() {}

  static String yaml(JobConfig job) {
    return ConfigFile.write(
        JobKeys.JOB
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
                    .build())
            .set(JobKeys.BATCH, batch(job.batch()))
            .set(
                JobKeys.STAGES,
                job.stages().stream().map(stage -> new Choice(stage.settings())).toList())
            .set(
                JobKeys.SINKS,
                job.sinks().stream().map(sink -> new Choice(sink(sink, false))).toList())
            .set(JobKeys.DEAD_LETTERS, new Choice(sink(job.deadLetters(), true)))
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
            .build());
  }

  private static Settings source(JobConfig.Source source) {
    if (source instanceof JobConfig.KafkaSource kafka) {
      return JobKeys.Kafka.SECTION
          .settings()
          .set(JobKeys.Kafka.BOOTSTRAP_SERVERS, kafka.bootstrapServers())
          .set(JobKeys.Kafka.TOPICS, kafka.topics())
          .set(JobKeys.Kafka.TOPIC_PATTERN, kafka.topicPattern())
          .set(JobKeys.Kafka.GROUP_ID, kafka.group())
          .set(JobKeys.Kafka.START, kafka.start())
          .set(JobKeys.Kafka.BOUNDED, kafka.bounded())
          .set(JobKeys.Kafka.CLIENT_PROPERTIES, kafka.properties().unresolved())
          .build();
    }
    if (source instanceof JobConfig.FileSource files) {
      return JobKeys.Files.SECTION
          .settings()
          .set(JobKeys.Files.PATH, files.path())
          .set(JobKeys.Files.WATCH, files.watch())
          .build();
    }
    if (source instanceof JobConfig.SocketSource socket) {
      return JobKeys.Socket.SECTION
          .settings()
          .set(JobKeys.Socket.HOST, socket.host())
          .set(JobKeys.Socket.PORT, socket.port())
          .build();
    }
    JobConfig.ListSource list = (JobConfig.ListSource) source;
    return JobKeys.Lines.SECTION.settings().set(JobKeys.Lines.LINES, list.lines()).build();
  }

  private static Settings input(JobConfig.Input input) {
    return JobKeys.Input.SECTION
        .settings()
        .set(JobKeys.Input.ENCODING, input.encoding())
        .set(JobKeys.Input.FEED, input.feed())
        .set(JobKeys.Input.LANGUAGE, input.language())
        .set(JobKeys.Input.MAX_RECORD_BYTES, input.maxRecordBytes())
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
        .build();
  }

  private static Settings sink(JobConfig.Sink sink, boolean deadLetters) {
    if (sink instanceof JobConfig.KafkaSink kafka) {
      return named(deadLetters ? JobKeys.Sinks.DEAD_KAFKA : JobKeys.Sinks.KAFKA, sink)
          .set(JobKeys.Kafka.BOOTSTRAP_SERVERS, kafka.bootstrapServers())
          .set(JobKeys.Sinks.TOPIC, kafka.topic())
          .set(
              JobKeys.Sinks.DELIVERY,
              kafka.exactlyOnce() ? JobKeys.Delivery.EXACTLY_ONCE : JobKeys.Delivery.AT_LEAST_ONCE)
          .set(JobKeys.Sinks.TRANSACTIONAL_ID_PREFIX, kafka.transactionalIdPrefix())
          .set(JobKeys.Sinks.PRODUCER_PROPERTIES, kafka.properties().unresolved())
          .build();
    }
    if (sink instanceof JobConfig.FileSink files) {
      return named(deadLetters ? JobKeys.Sinks.DEAD_FILES : JobKeys.Sinks.FILES, sink)
          .set(JobKeys.Sinks.FOLDER, files.path())
          .set(JobKeys.Sinks.FORMAT, files.avro() ? JobKeys.Format.AVRO : JobKeys.Format.TEXT)
          .build();
    }
    if (sink instanceof JobConfig.PrintSink) {
      return named(deadLetters ? JobKeys.Sinks.DEAD_PRINT : JobKeys.Sinks.PRINT, sink).build();
    }
    return JobKeys.Sinks.DEAD_FAIL.settings().build();
  }

  private static Settings.Builder named(ConfigSection section, JobConfig.Sink sink) {
    Settings.Builder settings = section.settings();
    return section.keys().contains(JobKeys.Sinks.NAME)
        ? settings.set(JobKeys.Sinks.NAME, sink.name())
        : settings;
  }
}
