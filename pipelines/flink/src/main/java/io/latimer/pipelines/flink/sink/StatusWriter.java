package io.latimer.pipelines.flink.sink;

import io.latimer.pipelines.flink.record.KafkaBytes;
import io.latimer.pipelines.sink.Format;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordJson;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Writes the statuses of commands to a topic, keyed by command id. */
final class StatusWriter extends TopicWriter<ControlStatus> {
  private static final long serialVersionUID = 1L;

  private final Format format;
  private transient RecordCodec<ControlStatus> codec;

  StatusWriter(String topic, Format format) {
    super(topic);
    this.format = format;
  }

  @Override
  void open() {
    codec = RecordCodec.of(ControlStatus.class);
  }

  @Override
  ProducerRecord<byte[], byte[]> record(ControlStatus status) {
    byte[] value =
        format == Format.AVRO
            ? codec.encode(status)
            : RecordJson.of(status).getBytes(StandardCharsets.UTF_8);
    ByteBuffer key = ByteBuffer.wrap(status.getCommand().getBytes(StandardCharsets.UTF_8));
    return KafkaBytes.record(topic, status.getTime().toEpochMilli(), key, value, List.of());
  }
}
