package io.latimer.pipelines.flink.sink;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.flink.record.KafkaBytes;
import io.latimer.pipelines.sink.Format;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordJson;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Writes tables to a topic with their own keys and times. A table that is longer than its producer
 * may send is reduced until it fits.
 */
final class TableWriter<T extends SpecificRecordBase> extends TopicWriter<T> {
  private static final long serialVersionUID = 1L;

  private final int maxBytes;
  private final TableStage<T> stage;
  private final Format format;
  private transient RecordCodec<T> codec;

  TableWriter(String topic, Format format, int maxBytes, TableStage<T> stage) {
    super(topic);
    this.format = format;
    this.maxBytes = maxBytes;
    this.stage = stage;
  }

  @Override
  void open() {
    codec = RecordCodec.of(stage.tableType());
  }

  @Override
  ProducerRecord<byte[], byte[]> record(T table) {
    ByteBuffer key = ByteBuffer.wrap(stage.key(table).getBytes(StandardCharsets.UTF_8));
    T fitting = table;
    byte[] value = value(fitting);
    while (value.length + key.remaining() > maxBytes) {
      try {
        fitting = stage.smaller(fitting);
      } catch (OperatorException e) {
        throw new OperatorException(
            "a table of stage "
                + stage.name()
                + " cannot be reduced to fit into topic "
                + topic
                + ", which takes "
                + maxBytes
                + " bytes; raise the sink's property max.request.size",
            e);
      }
      value = value(fitting);
    }
    return KafkaBytes.record(topic, stage.time(table).toEpochMilli(), key, value, List.of());
  }

  private byte[] value(T table) {
    return format == Format.AVRO
        ? codec.encode(table)
        : line(stage, table, format).getBytes(StandardCharsets.UTF_8);
  }

  /** Formats a table as JSON or as the stage's own text, on one line. */
  static <T extends SpecificRecordBase> String line(TableStage<T> stage, T table, Format format) {
    return format == Format.JSON ? RecordJson.of(table) : stage.line(table);
  }
}
