package io.latimer.pipelines.flink.source;

import io.latimer.pipelines.flink.kafka.BoundedKafkaSource;
import io.latimer.pipelines.flink.kafka.KafkaProperties;
import io.latimer.pipelines.flink.kafka.KafkaReader;
import io.latimer.pipelines.flink.record.EventTime;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.pipelines.source.SourceConfig;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.SourcePosition;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.flink.api.common.eventtime.BoundedOutOfOrdernessWatermarks;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;

/** Creates the source of a job. */
public final class Sources {
  private Sources() {}

  /** Adds a job's source to its graph. */
  public static SingleOutputStreamOperator<Envelope> add(
      StreamExecutionEnvironment env, JobConfig config) {
    SourceConfig source = config.source();
    SentenceReader reader = new SentenceReader(config.input(), config.eventTime().maxAhead());
    WatermarkStrategy<Envelope> times = watermarks(config.eventTime());
    if (source instanceof SourceConfig.Kafka kafka) {
      return env.fromSource(kafka(kafka, reader), times, "kafka source", Records.ENVELOPE);
    }
    if (source instanceof SourceConfig.Files files) {
      return env.fromSource(files(files, reader), times, "file source", Records.ENVELOPE);
    }
    if (source instanceof SourceConfig.Socket socket) {
      return env.fromSource(
              new SocketSource(socket.host(), socket.port(), reader),
              times,
              "socket source",
              Records.ENVELOPE)
          .setParallelism(1);
    }
    if (source instanceof SourceConfig.Feed feed) {
      // one subtask, because a feed has one position
      return env.fromSource(
              new FeedSource(feed.config(), reader), times, "feed source", Records.ENVELOPE)
          .setParallelism(1);
    }
    SourceConfig.Lines list = (SourceConfig.Lines) source;
    DataGeneratorSource<Envelope> lines =
        new DataGeneratorSource<>(
            new ListLines(List.copyOf(list.lines()), reader),
            list.lines().size(),
            Records.ENVELOPE);
    // one subtask, to keep the order of the list
    return env.fromSource(lines, times, "list source", Records.ENVELOPE).setParallelism(1);
  }

  private static WatermarkStrategy<Envelope> watermarks(JobConfig.EventTime config) {
    Duration outOfOrderness = config.outOfOrderness(); // captured: its record is not serializable
    WatermarkStrategy<Envelope> strategy =
        WatermarkStrategy.<Envelope>forGenerator(context -> new ReadTimes(outOfOrderness))
            .withTimestampAssigner((envelope, previous) -> EventTime.of(envelope));
    return config.idleness().isZero() ? strategy : strategy.withIdleness(config.idleness());
  }

  /**
   * Watermarks from records that could be read. All others have the source's timestamp, which is
   * unchecked and may be the time of reading, which would end the windows of an old feed.
   */
  private static final class ReadTimes extends BoundedOutOfOrdernessWatermarks<Envelope> {
    ReadTimes(Duration outOfOrderness) {
      super(outOfOrderness);
    }

    @Override
    public void onEvent(Envelope envelope, long time, WatermarkOutput output) {
      if (envelope.getFailure() == null) {
        super.onEvent(envelope, time, output);
      }
    }
  }

  private static Source<Envelope, ?, ?> kafka(SourceConfig.Kafka config, SentenceReader reader) {
    KafkaSourceBuilder<Envelope> builder =
        KafkaSource.<Envelope>builder()
            .setProperties(KafkaProperties.consumer(config))
            .setBootstrapServers(config.bootstrapServers())
            .setGroupId(config.group())
            .setStartingOffsets(start(config.start()))
            .setDeserializer(new KafkaReader(reader, config.tombstones()));
    if (config.topics().isEmpty()) {
      builder.setTopicPattern(Pattern.compile(config.topicPattern()));
    } else {
      builder.setTopics(config.topics());
    }
    return config.bounded()
        ? new BoundedKafkaSource<>(builder.setBounded(OffsetsInitializer.latest()).build())
        : builder.build();
  }

  // the connector requires Kafka's old enum for the case without a committed offset
  @SuppressWarnings("deprecation")
  private static OffsetsInitializer start(String start) {
    return switch (start) {
      // as numbers: committedOffsets (flink-connector-kafka 5.0) keeps only a marker in the state
      // until the first record is read, so a restored job would use an offset that was committed
      // later
      case "committed" -> OffsetsInitializer.offsets(Map.of(), OffsetResetStrategy.EARLIEST);
      case "earliest" -> OffsetsInitializer.earliest();
      case "latest" -> OffsetsInitializer.latest();
      default -> OffsetsInitializer.timestamp(Instant.parse(start).toEpochMilli());
    };
  }

  private static FileSource<Envelope> files(SourceConfig.Files config, SentenceReader reader) {
    FileSource.FileSourceBuilder<Envelope> builder =
        FileSource.forBulkFileFormat(new SentenceFileFormat(reader), new Path(config.path()));
    if (!config.watch().isZero()) {
      builder.monitorContinuously(config.watch());
    }
    return builder.build();
  }

  /** Creates an envelope from a line of the list, by its number. */
  private record ListLines(List<String> lines, SentenceReader reader)
      implements GeneratorFunction<Long, Envelope> {
    @Override
    public Envelope map(Long number) {
      byte[] line = lines.get(number.intValue()).getBytes(StandardCharsets.UTF_8);
      return reader.read(
          line, null, List.of(), new SourcePosition("list", -1, number, Instant.now()));
    }
  }
}
