package io.latimer.pipelines.flink;

import io.latimer.kafka.EmbeddedKafka;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.Stage;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.RecordCodec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A job with a topic of commands, whose savepoints are kept or restored. */
@Timeout(120)
abstract class SavedCommands {
  static final String COMMANDS = "commands";

  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  private final String name;
  private final List<String> topics;

  @TempDir Path folder;
  EmbeddedKafka broker;

  /**
   * Makes the test.
   *
   * @param name of its savepoints
   * @param topics of the job, beside that of the commands
   */
  SavedCommands(String name, String... topics) {
    this.name = name;
    this.topics = List.of(topics);
  }

  static Stream<String> versions() throws IOException {
    return SavedStateTest.versions();
  }

  @BeforeEach
  void start() throws Exception {
    broker = EmbeddedKafka.start();
    broker.createTopic(COMMANDS, 1);
    for (String topic : topics) {
      broker.createTopic(topic, 1);
    }
    HeldStage.reset(0);
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  JobClient restore(String version, JobConfig config) throws Exception {
    Path savepoint = SavedStateTest.SAVEPOINTS.resolve(version).resolve(name).toAbsolutePath();
    return CLUSTER.restore(savepoint.toUri().toString(), config, stages(config));
  }

  /** Ends a job, and keeps its savepoint as one of this version. */
  void keep(JobClient job) throws Exception {
    String savepoint =
        job.triggerSavepoint(
                folder.resolve("savepoint").toUri().toString(), SavepointFormatType.CANONICAL)
            .get();
    end(job);
    SavedStateTest.keep(savepoint, name);
  }

  static void end(JobClient job) throws Exception {
    job.cancel().get();
    CLUSTER.awaitEnd(job.getJobID());
  }

  void send(ControlCommand command) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      byte[] value = RecordCodec.of(ControlCommand.class).encode(command);
      producer.send(new ProducerRecord<>(COMMANDS, 0, null, value)).get();
    }
  }

  /** Reads a topic from its beginning, a record at a time. */
  KafkaConsumer<byte[], byte[]> consumer(String topic) {
    KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers(), "max.poll.records", "1"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    List<TopicPartition> all = List.of(new TopicPartition(topic, 0));
    consumer.assign(all);
    consumer.seekToBeginning(all);
    return consumer;
  }

  static Stage[] stages(JobConfig config) {
    return config.newStages().stream()
        .map(stage -> new HeldStage((BatchStage) stage, false))
        .toArray(Stage[]::new);
  }
}
