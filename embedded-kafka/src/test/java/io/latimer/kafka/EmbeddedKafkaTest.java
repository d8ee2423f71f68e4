package io.latimer.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class EmbeddedKafkaTest {
  /** Tests that start a broker of their own read it, one that counts the folders writes it. */
  private static final String FOLDERS = "brokers' folders";

  /** The controller soon gives up a killed broker, so that it may register again. */
  private static final Map<String, String> SHORT_SESSION =
      Map.of("broker.session.timeout.ms", "3000", "broker.heartbeat.interval.ms", "500");

  private static EmbeddedKafka kafka;

  @BeforeAll
  static void start() throws IOException {
    kafka = EmbeddedKafka.start();
  }

  @AfterAll
  static void stop() {
    kafka.close();
  }

  @Test
  void whatIsProducedIsConsumed() throws Exception {
    kafka.createTopic("plain", 3);
    try (KafkaProducer<String, String> producer = producer(kafka, Map.of())) {
      for (int i = 0; i < 300; i++) {
        producer.send(new ProducerRecord<>("plain", i % 3, "key" + i, "value" + i)).get();
      }
    }
    assertThat(consume(kafka, "plain", 3, 300))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 300).mapToObj(i -> "value" + i).toList());
  }

  @Test
  void consumerGroupsWork() throws Exception {
    kafka.createTopic("grouped", 2);
    try (KafkaProducer<String, String> producer = producer(kafka, Map.of());
        KafkaConsumer<String, String> consumer =
            consumer(kafka, Map.of("group.id", "g", "auto.offset.reset", "earliest"))) {
      producer.send(new ProducerRecord<>("grouped", 0, "k", "v0")).get();
      producer.send(new ProducerRecord<>("grouped", 1, "k", "v1")).get();
      consumer.subscribe(List.of("grouped"));
      assertThat(poll(consumer, 2)).containsExactlyInAnyOrder("v0", "v1");
      consumer.commitSync();
      assertThat(consumer.committed(Set.of(new TopicPartition("grouped", 0))).values())
          .allSatisfy(offset -> assertThat(offset.offset()).isEqualTo(1));
    }
  }

  @Test
  void readCommittedSeesCommittedTransactionsOnly() throws Exception {
    kafka.createTopic("transactional", 1);
    try (KafkaProducer<String, String> producer =
        producer(kafka, Map.of("transactional.id", "t1"))) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>("transactional", "committed 1")).get();
      producer.commitTransaction();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>("transactional", "aborted")).get();
      producer.abortTransaction();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>("transactional", "committed 2")).get();
      producer.commitTransaction();
    }
    assertThat(consume(kafka, "transactional", 1, 2)).containsExactly("committed 1", "committed 2");
    try (KafkaConsumer<String, String> everything = consumer(kafka, Map.of())) {
      assign(everything, "transactional", 1);
      assertThat(poll(everything, 3)).containsExactly("committed 1", "aborted", "committed 2");
    }
  }

  @Test
  void aTopicThatExistsIsRefused() throws Exception {
    kafka.createTopic("twice", 1);
    assertThatThrownBy(() -> kafka.createTopic("twice", 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot create topic twice")
        .hasCauseInstanceOf(TopicExistsException.class);
  }

  @Test
  void aTopicIsNotCreatedByBeingUsed() {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
      assertThatThrownBy(() -> admin.describeTopics(List.of("mistyped")).allTopicNames().get())
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
    }
    try (KafkaProducer<String, String> producer = producer(kafka, Map.of("max.block.ms", "1500"))) {
      assertThatThrownBy(() -> producer.send(new ProducerRecord<>("mistyped", "v")).get())
          .hasMessageContaining("mistyped");
    }
  }

  @Test
  void itsFilesArePrivateAndItsLogIsAFile() throws Exception {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kafka.directory())))
        .isEqualTo("rwx------");
    assertThat(kafka.directory().resolve("broker.log")).isNotEmptyFile();
    assertThat(kafka.bootstrapServers()).startsWith("127.0.0.1:");
  }

  @Test
  @ResourceLock(value = FOLDERS, mode = ResourceAccessMode.READ)
  void dataSurvivesStopAndKillOfASecondBroker() throws Exception {
    try (EmbeddedKafka second = EmbeddedKafka.start(SHORT_SESSION)) {
      assertThat(second.bootstrapServers()).isNotEqualTo(kafka.bootstrapServers());
      second.createTopic("durable", 1);
      String servers = second.bootstrapServers();
      try (KafkaProducer<String, String> producer = producer(second, Map.of())) {
        producer.send(new ProducerRecord<>("durable", "before")).get();

        second.stop();
        assertThat(second.isAlive()).isFalse();
        second.restart();
        assertThat(second.bootstrapServers()).isEqualTo(servers);
        assertThatThrownBy(second::restart).isInstanceOf(IllegalStateException.class);
        producer.send(new ProducerRecord<>("durable", "after stop")).get();

        second.kill();
        assertThat(second.isAlive()).isFalse();
        second.restart();
        producer.send(new ProducerRecord<>("durable", "after kill")).get();
      }
      assertThat(consume(second, "durable", 1, 3))
          .containsExactly("before", "after stop", "after kill");
    }
    assertThat(kafka.isAlive()).isTrue();
  }

  @Test
  @ResourceLock(value = FOLDERS, mode = ResourceAccessMode.READ)
  void itDiesWithItsParent() throws Exception {
    Process parent =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                "-cp",
                System.getProperty("java.class.path"),
                BrokerHolder.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader out = parent.inputReader(StandardCharsets.UTF_8)) {
      String[] line = out.readLine().split(" ", 2);
      ProcessHandle broker = ProcessHandle.of(Long.parseLong(line[0])).orElseThrow();
      assertThat(broker.isAlive()).isTrue();
      assertThat(Path.of(line[1])).exists();

      parent.destroyForcibly().waitFor();

      broker.onExit().get(60, TimeUnit.SECONDS);
      assertThat(Path.of(line[1])).doesNotExist();
    } finally {
      parent.destroyForcibly();
    }
  }

  @Test
  @ResourceLock(FOLDERS)
  void whatKeepsItFromStartingIsTold() throws Exception {
    List<String> before = brokerDirectories();
    assertThatThrownBy(() -> EmbeddedKafka.start(Map.of("num.io.threads", "many")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the broker's process ended with 1")
        .hasMessageContaining("num.io.threads")
        .hasMessageContaining("many");
    assertThat(brokerDirectories()).isEqualTo(before);
  }

  /**
   * A port was free when it was chosen, but no longer when it was bound: that of the broker, or
   * that of its controller.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  @ResourceLock(FOLDERS)
  void aTakenPortIsReplacedByAnotherAndClosingLeavesNothing(int number) throws Exception {
    List<String> before = brokerDirectories();
    try (ServerSocket taken =
        new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
      AtomicInteger asked = new AtomicInteger();
      EmbeddedKafka other =
          EmbeddedKafka.start(
              Map.of(),
              () ->
                  asked.incrementAndGet() == number
                      ? taken.getLocalPort()
                      : EmbeddedKafka.freePort());
      long pid = other.pid();
      try (other) {
        assertThat(other.isAlive()).isTrue();
        assertThat(other.bootstrapServers()).isNotEqualTo("127.0.0.1:" + taken.getLocalPort());
        assertThat(asked).hasValue(4);
        assertThat(brokerDirectories()).hasSize(before.size() + 1);
      }
      assertThat(ProcessHandle.of(pid)).isEmpty();
      assertThat(brokerDirectories()).isEqualTo(before);
      other.close();
    }
  }

  private static List<String> brokerDirectories() throws IOException {
    try (var files = Files.list(kafka.directory().getParent())) {
      return files.map(Path::toString).filter(f -> f.contains("latimer-kafka-")).sorted().toList();
    }
  }

  private static KafkaProducer<String, String> producer(
      EmbeddedKafka broker, Map<String, String> settings) {
    Map<String, Object> all = new HashMap<>(settings);
    all.put("bootstrap.servers", broker.bootstrapServers());
    return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
  }

  private static KafkaConsumer<String, String> consumer(
      EmbeddedKafka broker, Map<String, String> settings) {
    Map<String, Object> all = new HashMap<>(settings);
    all.put("bootstrap.servers", broker.bootstrapServers());
    return new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer());
  }

  private static List<String> consume(
      EmbeddedKafka broker, String topic, int partitions, int expected) {
    try (KafkaConsumer<String, String> consumer =
        consumer(broker, Map.of("isolation.level", "read_committed"))) {
      assign(consumer, topic, partitions);
      return poll(consumer, expected);
    }
  }

  private static void assign(KafkaConsumer<String, String> consumer, String topic, int partitions) {
    List<TopicPartition> all =
        IntStream.range(0, partitions).mapToObj(p -> new TopicPartition(topic, p)).toList();
    consumer.assign(all);
    consumer.seekToBeginning(all);
  }

  /** Reads as many values as expected, then once more to detect surplus ones. */
  private static List<String> poll(KafkaConsumer<String, String> consumer, int expected) {
    List<String> values = new ArrayList<>();
    while (values.size() < expected) {
      for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofSeconds(1))) {
        values.add(each.value());
      }
    }
    for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofMillis(500))) {
      values.add(each.value());
    }
    return values;
  }
}
