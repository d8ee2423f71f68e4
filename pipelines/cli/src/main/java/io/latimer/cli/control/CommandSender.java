package io.latimer.cli.control;

import io.latimer.cli.command.CommandException;
import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.sink.Format;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.schemas.BatchLimits;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Correction;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import io.latimer.schemas.StageIndexVersion;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends commands to a job's control topic, and reads their statuses. */
final class CommandSender implements AutoCloseable {
  private static final int ANSWER_MILLIS = 6_000;
  private static final Duration POLL = Duration.ofMillis(200);

  private final JobConfig config;
  private final SinkConfig.Kafka statuses;
  private final KafkaConsumer<byte[], byte[]> consumer;

  /**
   * Connects to the topic of statuses.
   *
   * @throws CommandException if the job has no such topic, or takes no commands
   */
  CommandSender(JobConfig config) {
    this.config = config;
    if (!config.control().isOn()) {
      throw new CommandException(
          "job " + config.name() + " takes no commands: set control.topic in its job file");
    }
    statuses =
        config.control().status().stream()
            .filter(SinkConfig.Kafka.class::isInstance)
            .map(SinkConfig.Kafka.class::cast)
            .filter(sink -> sink.format() == Format.AVRO)
            .findFirst()
            .orElseThrow(
                () ->
                    new CommandException(
                        "job "
                            + config.name()
                            + " has no Kafka topic of statuses to wait for: add one with format:"
                            + " avro to control.status in its job file"));
    Map<String, Object> properties = new HashMap<>(statuses.properties().resolve());
    properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, statuses.bootstrapServers());
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
    consumer =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /**
   * Swaps the index of a stage.
   *
   * @param covers number of the learned pairs or terms that the new index contains
   * @return the last status of the whole job
   * @throws CommandException if none arrives in time
   */
  ControlStatus swap(String stage, IndexRef index, long covers, Duration timeout)
      throws InterruptedException, ExecutionException {
    IndexReference reference =
        new IndexReference(index.kind(), index.uri().toString(), index.sha256(), index.version());
    StageIndexVersion swap = new StageIndexVersion(stage, reference, 0L, 0L);
    return send(command().setSwap(swap).setCovers(covers).build(), timeout);
  }

  /**
   * Sets limits of batches.
   *
   * @param limits null fields leave a limit unchanged
   * @return the last status of the whole job
   * @throws CommandException if none arrives in time
   */
  ControlStatus set(BatchLimits limits, Duration timeout)
      throws InterruptedException, ExecutionException {
    return send(command().setSet(limits).build(), timeout);
  }

  /**
   * Sends sentence pairs for a stage to learn.
   *
   * @param pairs at most {@link io.latimer.pipelines.record.Corrections#MOST}
   * @return the last status of the whole job
   * @throws CommandException if none arrives in time
   */
  ControlStatus append(String stage, List<Correction> pairs, Duration timeout)
      throws InterruptedException, ExecutionException {
    return send(command().setAppendTo(stage).setAppend(pairs).build(), timeout);
  }

  private ControlCommand.Builder command() {
    return ControlCommand.newBuilder()
        .setId(UUID.randomUUID().toString())
        .setJob(config.name())
        .setTime(Instant.now());
  }

  private ControlStatus send(ControlCommand command, Duration timeout)
      throws InterruptedException, ExecutionException {
    try {
      seekToEnd();
      send(command);
      return await(command.getId(), timeout);
    } catch (KafkaException e) {
      throw unreachable(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof KafkaException) {
        throw unreachable(e.getCause());
      }
      throw e;
    }
  }

  private CommandException unreachable(Throwable e) {
    return new CommandException(
        "the command did not reach Kafka at "
            + config.control().bootstrapServers()
            + ", or the status cannot be read: "
            + e.getMessage()
            + "; check that it runs, and that the topics "
            + config.control().topic()
            + " and "
            + statuses.topic()
            + " exist",
        e);
  }

  /** Seeks to the end of the status topic, before the command is sent. */
  private void seekToEnd() {
    List<TopicPartition> partitions =
        consumer.partitionsFor(statuses.topic()).stream()
            .map(one -> new TopicPartition(one.topic(), one.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToEnd(partitions);
    partitions.forEach(consumer::position); // resolves the position now, not at the first poll
  }

  private void send(ControlCommand command) throws InterruptedException, ExecutionException {
    Map<String, Object> properties = new HashMap<>(config.control().properties().resolve());
    properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, config.control().bootstrapServers());
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, ANSWER_MILLIS);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
      byte[] key = command.getId().getBytes(StandardCharsets.UTF_8);
      byte[] value = RecordCodec.of(ControlCommand.class).encode(command);
      producer.send(new ProducerRecord<>(config.control().topic(), key, value)).get();
    }
  }

  private ControlStatus await(String id, Duration timeout) {
    RecordCodec<ControlStatus> codec = RecordCodec.of(ControlStatus.class);
    long end = System.nanoTime() + timeout.toNanos();
    boolean received = false;
    do {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        Optional<ControlStatus> status = decode(codec, record.value(), id);
        if (status.isPresent() && !status.get().getState().equals("received")) {
          return status.get();
        }
        received |= status.isPresent();
      }
    } while (System.nanoTime() < end);
    throw new CommandException(
        received
            ? "job "
                + config.name()
                + " received the command, but did not finish it within "
                + timeout.toSeconds()
                + " s; it may still do so: see topic "
                + statuses.topic()
                + ", or wait longer with --timeout"
            : "job "
                + config.name()
                + " did not answer within "
                + timeout.toSeconds()
                + " s; check that it runs, with this control topic, or wait longer with --timeout");
  }

  /** Decodes a status of the whole job for a command. */
  private static Optional<ControlStatus> decode(
      RecordCodec<ControlStatus> codec, byte[] value, String id) {
    try {
      ControlStatus status = codec.decode(value);
      return status.getCommand().equals(id) && status.getSubtask() < 0
          ? Optional.of(status)
          : Optional.empty();
    } catch (RecordFormatException e) {
      return Optional.empty(); // the topic may contain other records
    }
  }

  @Override
  public void close() {
    consumer.close();
  }
}
