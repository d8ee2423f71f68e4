package io.latimer.pipelines.flink.control;

import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads commands as bytes, with their position; malformed ones are refused later. */
final class ControlReader implements KafkaRecordDeserializationSchema<Tuple2<String, byte[]>> {
  private static final long serialVersionUID = 1L;

  static final TypeInformation<Tuple2<String, byte[]>> TYPE =
      Types.TUPLE(Types.STRING, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

  @Override
  public void deserialize(
      ConsumerRecord<byte[], byte[]> record, Collector<Tuple2<String, byte[]>> out) {
    String where = record.topic() + ", partition " + record.partition() + ", offset ";
    byte[] value = record.value() == null ? new byte[0] : record.value();
    out.collect(Tuple2.of(where + record.offset(), value));
  }

  @Override
  public TypeInformation<Tuple2<String, byte[]>> getProducedType() {
    return TYPE;
  }
}
