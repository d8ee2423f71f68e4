package io.latimer.pipelines.beam;

import io.latimer.pipelines.source.InputConfig;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.NgramTable;
import io.latimer.schemas.RecordCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.coders.ByteArrayCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.NullableCoder;
import org.apache.beam.sdk.io.kafka.KafkaIO;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.SimpleFunction;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.TupleTagList;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.joda.time.Duration;

/** The topics of a pipeline. */
final class KafkaTopics {
  /** How far watermarks lag behind the highest event time of a partition, as in jobs. */
  private static final Duration OUT_OF_ORDERNESS = Duration.standardSeconds(5);

  /** Kafka's default for {@code max.request.size}. */
  private static final String MAX_REQUEST_SIZE = Integer.toString(1 << 20);

  /** Records may have no key, and no value. */
  private static final Coder<byte[]> BYTES = NullableCoder.of(ByteArrayCoder.of());

  private KafkaTopics() {}

  static KafkaIO.Read<byte[], byte[]> read(TranslationOptions options, InputConfig input) {
    Map<String, Object> config = new HashMap<>();
    config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    // as in jobs: skips records of open or aborted transactions
    config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    config.putAll(orEmpty(options.getConsumerConfig()));
    KafkaIO.Read<byte[], byte[]> read =
        KafkaIO.<byte[], byte[]>read()
            .withBootstrapServers(options.getBootstrapServers())
            .withTopics(options.getInputTopics())
            .withKeyDeserializerAndCoder(ByteArrayDeserializer.class, BYTES)
            .withValueDeserializerAndCoder(ByteArrayDeserializer.class, BYTES)
            .withConsumerConfigUpdates(config)
            .withTimestampPolicyFactory(new KafkaEventTimes(input, OUT_OF_ORDERNESS));
    return config.containsKey(ConsumerConfig.GROUP_ID_CONFIG)
        ? read.commitOffsetsInFinalize()
        : read;
  }

  /** Writes results; returns those that are too long. */
  static PCollection<DeadLetter> writeResults(
      PCollection<Envelope> results, TranslationOptions options) {
    TupleTag<ProducerRecord<byte[], byte[]>> records = new TupleTag<>("records");
    PCollectionTuple made =
        results.apply(
            "Make records",
            ParDo.of(
                    new KafkaRecords.OfResults(
                        options.getOutputTopic(), options.getFormat(), maxBytes(options), records))
                .withOutputTags(records, TupleTagList.of(StageTransform.FAILURES)));
    write(made.get(records), "Write translations", options);
    return made.get(StageTransform.FAILURES).setCoder(RecordCoder.of(DeadLetter.class));
  }

  static void writeDeadLetters(PCollection<DeadLetter> letters, TranslationOptions options) {
    write(
        letters.apply(
            "Make dead letters",
            ParDo.of(new KafkaRecords.OfLetters(options.getDeadLetterTopic(), maxBytes(options)))),
        "Write dead letters",
        options);
  }

  static void writeTables(PCollection<NgramTable> tables, TranslationOptions options) {
    String topic = options.getNgramTopic();
    write(
        tables.apply("Make tables' records", MapElements.via(new OfTables(topic))),
        "Write tables",
        options);
  }

  private static void write(
      PCollection<ProducerRecord<byte[], byte[]>> records,
      String name,
      TranslationOptions options) {
    records
        .setCoder(ProducedRecordCoder.INSTANCE)
        .apply(
            name,
            KafkaIO.<byte[], byte[]>writeRecords()
                .withBootstrapServers(options.getBootstrapServers())
                .withKeySerializer(ByteArraySerializer.class)
                .withValueSerializer(ByteArraySerializer.class)
                .withProducerConfigUpdates(orEmpty(options.getProducerConfig())));
  }

  private static int maxBytes(TranslationOptions options) {
    Object set = orEmpty(options.getProducerConfig()).get(ProducerConfig.MAX_REQUEST_SIZE_CONFIG);
    return KafkaRecords.maxBytes(set == null ? MAX_REQUEST_SIZE : set.toString());
  }

  private static Map<String, Object> orEmpty(Map<String, String> config) {
    return config == null ? Map.of() : new HashMap<>(config);
  }

  /** Converts tables to records, keyed by feed, with the time of their last record. */
  private static final class OfTables
      extends SimpleFunction<NgramTable, ProducerRecord<byte[], byte[]>> {
    private static final long serialVersionUID = 1L;

    private final String topic;
    private transient RecordCodec<NgramTable> codec;

    OfTables(String topic) {
      this.topic = topic;
    }

    @Override
    public ProducerRecord<byte[], byte[]> apply(NgramTable table) {
      if (codec == null) {
        codec = RecordCodec.of(NgramTable.class);
      }
      ByteBuffer key = ByteBuffer.wrap(table.getFeed().getBytes(StandardCharsets.UTF_8));
      return KafkaRecords.record(
          topic, table.getEnd().toEpochMilli() - 1, key, codec.encode(table), List.of());
    }
  }
}
