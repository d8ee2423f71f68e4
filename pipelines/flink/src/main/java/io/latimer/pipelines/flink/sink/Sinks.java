package io.latimer.pipelines.flink.sink;

import io.latimer.pipelines.flink.kafka.KafkaProperties;
import io.latimer.pipelines.flink.record.RecordBytes;
import io.latimer.pipelines.flink.record.RecordSize;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.flink.state.CheckpointFolder;
import io.latimer.pipelines.flink.state.RestoredState;
import io.latimer.pipelines.flink.state.StageSteps;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.sink.Format;
import io.latimer.pipelines.sink.QualityRange;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.RecordJson;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.Translation;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaSinkBuilder;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.core.fs.Path;
import org.apache.flink.formats.avro.AvroWriters;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.kafka.clients.producer.ProducerConfig;

/** Adds the sinks of a job. */
public final class Sinks {
  private final long suspects;
  private final boolean ends;
  private final CheckpointFolder folder;

  /**
   * Creates the builder.
   *
   * @param suspects see {@link RestoredState#suspects}
   * @param ends whether the job's source is bounded
   * @param folder the job's checkpoint folder, or null if it has none
   */
  public Sinks(long suspects, boolean ends, CheckpointFolder folder) {
    this.suspects = suspects;
    this.ends = ends;
    this.folder = folder;
  }

  /** The uids of a job's sinks that write in transactions. */
  public static Set<String> transactional(JobConfig config, StageSteps steps) {
    Stream<String> records = transactional(config.sinks()).map(Sinks::recordsUid);
    Stream<String> tables =
        steps.tables().flatMap(stage -> transactional(stage.sinks())).map(Sinks::tablesUid);
    Stream<String> letters =
        transactional(List.of(config.deadLetters())).map(sink -> JobConfig.DEAD_LETTERS);
    return Stream.of(records, tables, letters).flatMap(uids -> uids).collect(Collectors.toSet());
  }

  private static Stream<SinkConfig> transactional(List<SinkConfig> sinks) {
    return sinks.stream()
        .filter(sink -> sink instanceof SinkConfig.Kafka kafka && kafka.exactlyOnce());
  }

  private static String recordsUid(SinkConfig sink) {
    return "sink-" + sink.name();
  }

  private static String tablesUid(SinkConfig sink) {
    return "tables-" + sink.name();
  }

  /**
   * Adds a sink of records that have passed all stages.
   *
   * @param translated whether they are translations, or else sentences
   */
  public void addRecords(DataStream<Envelope> records, SinkConfig sink, boolean translated) {
    String uid = recordsUid(sink);
    QualityRange takes = sink.takes();
    DataStream<Envelope> stream =
        takes.equals(QualityRange.ALL)
            ? records
            : records.filter(takes::contains).name(uid + " quality").uid("quality-" + sink.name());
    if (sink instanceof SinkConfig.Kafka kafka) {
      add(stream, kafka(kafka, new RecordWriter(kafka.topic(), kafka.format())), uid);
    } else if (sink instanceof SinkConfig.Files files && files.format() == Format.AVRO) {
      if (translated) {
        addAvro(stream, Envelope::getTranslation, Translation.class, files, uid);
      } else {
        addAvro(stream, Envelope::getSentence, Sentence.class, files, uid);
      }
    } else {
      Format format = lines(sink);
      addText(stream, envelope -> RecordBytes.line(envelope, format), sink, false, uid);
    }
  }

  /** Adds a sink of tables. */
  public <T extends SpecificRecordBase> void addTables(
      DataStream<T> stream, TableStage<T> stage, SinkConfig sink) {
    String uid = tablesUid(sink);
    if (sink instanceof SinkConfig.Kafka kafka) {
      TableWriter<T> writer =
          new TableWriter<>(kafka.topic(), kafka.format(), RecordSize.limit(kafka), stage);
      add(stream, kafka(kafka, writer), uid);
    } else if (sink instanceof SinkConfig.Files files && files.format() == Format.AVRO) {
      add(stream, avro(stage.tableType(), files), uid);
    } else {
      Format format = lines(sink);
      addText(stream, table -> TableWriter.line(stage, table, format), sink, false, uid);
    }
  }

  /** Adds a sink of the statuses of commands. */
  public void addStatuses(DataStream<ControlStatus> stream, SinkConfig sink) {
    String uid = sink.name();
    if (sink instanceof SinkConfig.Kafka kafka) {
      add(stream, kafka(kafka, new StatusWriter(kafka.topic(), kafka.format())), uid);
    } else if (sink instanceof SinkConfig.Files files && files.format() == Format.AVRO) {
      add(stream, avro(ControlStatus.class, files), uid);
    } else {
      addText(stream, RecordJson::of, sink, false, uid);
    }
  }

  /** Adds the sink of dead letters. */
  public void addDeadLetters(DataStream<Envelope> stream, SinkConfig sink) {
    String uid = JobConfig.DEAD_LETTERS;
    if (sink instanceof SinkConfig.Kafka kafka) {
      add(stream, kafka(kafka, new DeadLetterWriter(kafka.topic(), RecordSize.limit(kafka))), uid);
    } else if (sink instanceof SinkConfig.Files files && files.format() == Format.AVRO) {
      addAvro(stream, Envelope::getFailure, DeadLetter.class, files, uid);
    } else if (sink instanceof SinkConfig.Fail) {
      DataStream<Envelope> failing =
          stream
              .map(new FailOnDeadLetter())
              .returns(Records.ENVELOPE)
              .name("fail on a dead letter")
              .uid(uid + "-fail");
      add(failing, new DiscardingSink<>(), uid);
    } else {
      addText(stream, envelope -> RecordJson.of(envelope.getFailure()), sink, true, uid);
    }
  }

  /** The format of a sink that writes lines. */
  private static Format lines(SinkConfig sink) {
    return sink instanceof SinkConfig.Files files
        ? files.format()
        : ((SinkConfig.Print) sink).format();
  }

  private static <T> void add(DataStream<T> stream, Sink<T> sink, String uid) {
    stream.sinkTo(sink).name(uid).uid(uid);
  }

  private <T> Sink<T> kafka(SinkConfig.Kafka config, TopicWriter<T> writer) {
    Properties properties = KafkaProperties.producer(config);
    KafkaSinkBuilder<T> builder =
        KafkaSink.<T>builder()
            .setKafkaProducerConfig(properties)
            .setBootstrapServers(config.bootstrapServers())
            .setRecordSerializer(writer)
            .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
            .setTransactionalIdPrefix(config.transactionalIdPrefix())
            // reuses a few ids, because brokers remember each for a week. Open transactions of a
            // dead job are found by listing those of the topic, not by trying ids
            .setTransactionNamingStrategy(TransactionNamingStrategy.POOLING);
    KafkaSink<T> transactional = builder.build();
    KafkaSink<T> sink =
        config.exactlyOnce()
            ? transactional
            : builder.setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE).build();
    long timeout =
        Long.parseLong(properties.getProperty(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG));
    properties.setProperty(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, config.bootstrapServers());
    return new GuardedKafkaSink<>(
        sink,
        transactional,
        new TransactionCoordinator.Address(properties),
        new GuardedCommitter.Names(
            config.name(), config.topic(), timeout, config.acceptsLostTransactions(), suspects),
        ends,
        folder);
  }

  private static <E, T extends SpecificRecordBase> void addAvro(
      DataStream<E> stream,
      MapFunction<E, T> part,
      Class<T> type,
      SinkConfig.Files config,
      String uid) {
    add(
        stream
            .map(new SinkLatency.Measured<>(part))
            .returns(new AvroTypeInfo<>(type))
            .name(uid + " record")
            .uid(uid + "-record"),
        avro(type, config),
        uid);
  }

  private static <T extends SpecificRecordBase> Sink<T> avro(
      Class<T> type, SinkConfig.Files config) {
    return FileSink.forBulkFormat(new Path(config.path()), AvroWriters.forSpecificRecord(type))
        .build();
  }

  private static <E> void addText(
      DataStream<E> stream,
      MapFunction<E, String> text,
      SinkConfig config,
      boolean error,
      String uid) {
    Sink<String> sink =
        config instanceof SinkConfig.Files files
            ? FileSink.forRowFormat(
                    new Path(files.path()), new SimpleStringEncoder<String>("UTF-8"))
                .withRollingPolicy(OnCheckpointRollingPolicy.build())
                .build()
            : new LineSink(error);
    add(
        stream
            .map(new SinkLatency.Measured<>(text))
            .returns(Types.STRING)
            .name(uid + " line")
            .uid(uid + "-line"),
        sink,
        uid);
  }

  /** Fails the job on its first dead letter. */
  private static final class FailOnDeadLetter implements MapFunction<Envelope, Envelope> {
    private static final long serialVersionUID = 1L;

    @Override
    public Envelope map(Envelope envelope) {
      DeadLetter letter = envelope.getFailure();
      throw new UnrecoverableException(
          "a record cannot be processed and the job file gives dead letters no place: "
              + letter.getOrigin()
              + ", stage "
              + letter.getStage()
              + ": "
              + letter.getErrorMessage());
    }
  }
}
