package io.latimer.pipelines.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.kafka.EmbeddedKafka;
import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.testing.ShippedModel;
import io.latimer.pipelines.shared.SharedStages;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A topic is translated by SQL, as the documentation says, and through a failure. */
@Timeout(240)
class KafkaPredictTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  private static final Path ROOT = Path.of(System.getProperty("latimer.root"));
  private static final Pattern STATEMENTS =
      Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL); // the first block of the page
  private static final Pattern SET = Pattern.compile("SET '([^']+)' = '([^']+)'");

  private static EmbeddedKafka broker;
  private static List<String> feed;

  /** What the model makes of the feed. */
  private static final Map<String, String> EXPECTED = new HashMap<>();

  private TableResult job;

  @BeforeAll
  static void start() throws Exception {
    broker = EmbeddedKafka.start();
    feed = Files.readAllLines(ROOT.resolve("examples/feeds/everyday.en.txt"));
    try (Translate translate =
        Translate.opener(TranslateOptions.DEFAULTS).open(ShippedModel.path(), Device.CPU)) {
      var results = translate.apply(feed);
      for (int i = 0; i < feed.size(); i++) {
        EXPECTED.put(feed.get(i), results.get(i).orElseThrow().text());
      }
    }
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  @AfterEach
  void cancel() throws Exception {
    if (job != null) {
      job.getJobClient().orElseThrow().cancel().get();
    }
    while (SharedStages.process().size() > 0) {
      Thread.sleep(10);
    }
  }

  private static void send(String topic, List<String> texts) {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (String text : texts) {
        Future<?> unused =
            producer.send(new ProducerRecord<>(topic, text.getBytes(StandardCharsets.UTF_8)));
      }
    }
  }

  /** Reads a topic until it has so many distinct texts, with their translations. */
  private static Map<String, String> await(String topic, int count) throws Exception {
    Map<String, String> found = new HashMap<>();
    ObjectMapper json = new ObjectMapper();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers(), "auto.offset.reset", "earliest"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.assign(List.of(new TopicPartition(topic, 0)));
      while (found.size() < count) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          JsonNode row = json.readTree(record.value());
          assertThat(row.get("error").isNull()).as(row.toString()).isTrue();
          String target = row.get("target").textValue();
          String before = found.put(row.get("text").textValue(), target);
          assertThat(before).isIn(null, target); // rows may be written again after a failure
        }
      }
    }
    return found;
  }

  /** The statements of the page, with this broker, the topics of a test and the model's path. */
  private TableResult runPage(StreamTableEnvironment session, String in, String out)
      throws Exception {
    Matcher page = STATEMENTS.matcher(Files.readString(ROOT.resolve("docs/sql.md")));
    assertThat(page.find()).isTrue();
    List<String> statements = new ArrayList<>();
    for (String statement : page.group(1).split(";\\s*", -1)) {
      if (statement.isBlank()) { // after the last one
        continue;
      }
      statements.add(
          statement
              .replace("localhost:9092", broker.bootstrapServers())
              .replace("'topic' = 'feed'", "'topic' = '" + in + "'")
              .replace("'topic' = 'translated'", "'topic' = '" + out + "'")
              .replace("'device' = 'auto'", "'device' = 'cpu'") // as what it is compared with
              .replace("'examples/models", "'" + ROOT.resolve("examples/models")));
    }
    assertThat(statements).hasSize(5);
    TableResult last = null;
    for (String statement : statements) {
      Matcher set = SET.matcher(statement);
      if (set.matches()) { // a statement of the SQL client
        session.getConfig().set(set.group(1), set.group(2));
      } else {
        last = session.executeSql(statement);
      }
    }
    return last;
  }

  @Test
  void theStatementsOfThePageTranslateATopic() throws Exception {
    broker.createTopic("feed", 1);
    broker.createTopic("translated", 1);
    send("feed", feed.subList(0, 30));
    job = runPage(CLUSTER.session(false, 1, Map.of()), "feed", "translated");
    Map<String, String> found = await("translated", 30);
    assertThat(found.keySet()).containsExactlyInAnyOrderElementsOf(feed.subList(0, 30));
    found.forEach((text, target) -> assertThat(target).isEqualTo(EXPECTED.get(text)));
  }

  @Test
  void noRowIsLostIfATaskManagerIsKilledInMidStream() throws Exception {
    broker.createTopic("killed-in", 4);
    broker.createTopic("killed-out", 1);
    StreamTableEnvironment session =
        CLUSTER.session(
            false,
            4,
            Map.of(
                "execution.checkpointing.interval", "100ms",
                "restart-strategy.type", "fixed-delay",
                "restart-strategy.fixed-delay.attempts", "10",
                "restart-strategy.fixed-delay.delay", "100ms"));
    job = runPage(session, "killed-in", "killed-out");
    send("killed-in", feed.subList(0, 200));
    await("killed-out", 20);
    assertThat(SharedStages.process().size())
        .as("the batches of all subtasks are the same ones")
        .isEqualTo(1);

    CLUSTER.checkpoint(job.getJobClient().orElseThrow().getJobID()); // with rows under way
    CLUSTER.replaceTaskManager();
    send("killed-in", feed.subList(200, feed.size()));

    Map<String, String> found = await("killed-out", feed.size());
    assertThat(found.keySet()).containsExactlyInAnyOrderElementsOf(feed);
    found.forEach((text, target) -> assertThat(target).isEqualTo(EXPECTED.get(text)));
  }
}
