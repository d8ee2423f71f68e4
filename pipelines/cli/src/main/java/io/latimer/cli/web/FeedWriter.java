package io.latimer.cli.web;

import io.latimer.cli.command.CommandException;
import io.latimer.pipelines.client.ClientProperties;
import io.latimer.pipelines.job.ControlConfig;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.record.Taught;
import io.latimer.pipelines.source.InputConfig;
import io.latimer.pipelines.source.SourceConfig;
import io.latimer.pipelines.stage.IndexName;
import io.latimer.schemas.Correction;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Sentence;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends input from the page: sentences to the job's source topic, corrections to the topic of a
 * stage that learns. Thread-safe.
 */
final class FeedWriter implements AutoCloseable {
  private static final String PREFIX = "live-page-";
  private static final String ANSWER_MILLIS = "10000";
  private static final Duration CLOSE = Duration.ofSeconds(1);

  private final JobConfig config;
  private final RecordSampler sampler;
  private final Runnable sent;
  private final Map<Brokers, Producer<byte[], byte[]>> producers = new HashMap<>();

  /** The brokers of a producer, and its credentials. */
  private record Brokers(String servers, ClientProperties properties) {}

  /**
   * Creates a writer that connects on first use.
   *
   * @param sampler shows the results of what was sent
   * @param sent called for each sentence that was sent
   */
  FeedWriter(JobConfig config, RecordSampler sampler, Runnable sent) {
    this.config = config;
    this.sampler = sampler;
    this.sent = sent;
  }

  /** The topic that takes sentences; empty if the job has none. */
  Optional<String> topic() {
    return config.source() instanceof SourceConfig.Kafka kafka && !kafka.topics().isEmpty()
        ? Optional.of(kafka.topics().get(0))
        : Optional.empty();
  }

  /** The stages that take corrected translations. */
  List<String> learning() {
    return config.control().learn().stream()
        .filter(learn -> !learn.corrections().isEmpty())
        .filter(learn -> IndexName.parse(learn.stage()).isMain())
        .map(ControlConfig.Learn::stage)
        .toList();
  }

  /**
   * Sends a sentence.
   *
   * @return the key of its record
   * @throws IllegalStateException if the job takes none
   * @throws CommandException if Kafka does not accept it
   */
  String sentence(String text) throws InterruptedException {
    String topic = topic().orElseThrow(() -> new IllegalStateException("no topic of sentences"));
    SourceConfig.Kafka source = (SourceConfig.Kafka) config.source();
    InputConfig input = config.input();
    String id = newId();
    byte[] value =
        input.encoding() == InputConfig.Encoding.TEXT
            ? text.getBytes(StandardCharsets.UTF_8)
            : RecordCodec.of(Sentence.class)
                .encode(
                    Sentence.newBuilder()
                        .setId(id)
                        .setFeed(input.feed().isEmpty() ? topic : input.feed())
                        .setLanguage(input.language())
                        .setText(text)
                        .setEventTime(Instant.now())
                        .build());
    sampler.awaitKey(id);
    send(source.bootstrapServers(), source.properties(), topic, id, value);
    sent.run();
    return id;
  }

  /**
   * Sends a correction.
   *
   * @return its id
   * @throws IllegalArgumentException if it cannot be learned, with the reason
   * @throws IllegalStateException if no such stage takes corrections
   * @throws CommandException if Kafka does not accept it
   */
  String correction(String stage, String source, String target) throws InterruptedException {
    ControlConfig.Learn learn =
        config.control().learn().stream()
            .filter(one -> one.stage().equals(stage) && !one.corrections().isEmpty())
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("no topic of corrections"));
    String id = newId();
    Correction correction = new Correction(id, Instant.now(), source, target, null);
    String problem = Taught.PAIRS.problem(correction);
    if (problem != null) {
      throw new IllegalArgumentException(problem.replace("correction " + id + ": ", ""));
    }
    sampler.awaitCorrection(id);
    ControlConfig control = config.control();
    byte[] value = RecordCodec.of(Correction.class).encode(correction);
    send(control.bootstrapServers(), control.properties(), learn.corrections(), id, value);
    return id;
  }

  private static String newId() {
    return PREFIX + UUID.randomUUID();
  }

  private void send(
      String servers, ClientProperties properties, String topic, String key, byte[] value)
      throws InterruptedException {
    try {
      producer(servers, properties)
          .send(new ProducerRecord<>(topic, key.getBytes(StandardCharsets.UTF_8), value))
          .get();
    } catch (ExecutionException e) {
      throw failed(servers, topic, e.getCause());
    } catch (KafkaException e) {
      throw failed(servers, topic, e);
    }
  }

  private static CommandException failed(String servers, String topic, Throwable error) {
    return new CommandException(
        "Kafka at " + servers + " did not take it for topic " + topic + ": " + error.getMessage(),
        error);
  }

  private synchronized Producer<byte[], byte[]> producer(
      String servers, ClientProperties properties) {
    return producers.computeIfAbsent(
        new Brokers(servers, properties),
        to -> {
          // may be a consumer's properties, because connecting works the same
          Map<String, Object> settings = new HashMap<>(properties.resolve());
          settings
              .keySet()
              .removeIf(
                  name ->
                      !ProducerConfig.configNames().contains(name)
                          && !name.startsWith(AbstractConfig.CONFIG_PROVIDERS_CONFIG));
          settings.remove(ProducerConfig.INTERCEPTOR_CLASSES_CONFIG);
          settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
          settings.put(ProducerConfig.LINGER_MS_CONFIG, "0");
          settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, ANSWER_MILLIS);
          settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
          settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
          return new KafkaProducer<>(
              settings, new ByteArraySerializer(), new ByteArraySerializer());
        });
  }

  @Override
  public synchronized void close() {
    producers.values().forEach(producer -> producer.close(CLOSE));
    producers.clear();
  }
}
