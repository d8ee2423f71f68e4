package io.latimer.pipelines.flink.control;

import io.latimer.pipelines.flink.kafka.KafkaProperties;
import io.latimer.pipelines.job.ControlConfig;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.RecordCodec;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends commands to the job's own control topic, which puts them in order with all others. */
final class CommandTopic implements Serializable {
  private static final long serialVersionUID = 1L;

  private final String topic;
  private final Properties properties;

  CommandTopic(ControlConfig control) {
    this.topic = control.topic();
    this.properties = KafkaProperties.producer(control);
  }

  /** Sends a command and waits until the brokers acknowledge it. */
  void send(ControlCommand command) throws ExecutionException, InterruptedException {
    byte[] key = command.getId().getBytes(StandardCharsets.UTF_8);
    byte[] value = RecordCodec.of(ControlCommand.class).encode(command);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
      producer.send(new ProducerRecord<>(topic, key, value)).get();
    }
  }
}
