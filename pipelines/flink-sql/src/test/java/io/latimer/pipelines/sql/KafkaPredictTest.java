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
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
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
import org.junit.jupiter.api.io.TempDir;

/** A topic is translated by SQL, as the documentation says, and through a failure. */
@Timeout(240)
class KafkaPredictTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  private static final Path ROOT = Path.of(System.getProperty("latimer.root"));
  private static final Pattern STATEMENTS =
      Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL); // the first block of the page
  private static final Pattern SET = Pattern.compile("SET '([^']+)' = '([^']+)'");

  /** Its last batch waits for more rows, longer than a test takes. */
  private static final String FULL_BATCHES =
      ", 'batch.max-records' = '64', 'batch.max-tokens' = '1000000', 'batch.max-wait' = '100s'";

  /** Three full batches, and the rows of one more that is not. */
  private static final int FIRST = 3 * 64 + 8;

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
    int unused = await(topic, count, found);
    return found;
  }

  /**
   * Reads a topic until it has so many distinct texts.
   *
   * @param found gets them, with their translations
   * @return how many rows were read, of which some may have the same text
   */
  private static int await(String topic, int count, Map<String, String> found) throws Exception {
    ObjectMapper json = new ObjectMapper();
    int rows = 0;
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers(), "auto.offset.reset", "earliest"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.assign(List.of(new TopicPartition(topic, 0)));
      while (found.size() < count) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          rows++;
          JsonNode row = json.readTree(record.value());
          assertThat(row.get("error").isNull()).as(row.toString()).isTrue();
          String target = row.get("target").textValue();
          String before = found.put(row.get("text").textValue(), target);
          assertThat(before).isIn(null, target); // rows may be written again after a failure
        }
      }
    }
    return rows;
  }

  /**
   * Runs the statements of the page, with this broker, the topics of a test and the model's path.
   *
   * @param options more options of the model
   */
  private TableResult runPage(StreamTableEnvironment session, String in, String out, String options)
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
              .replace(
                  "'device' = 'auto'", "'device' = 'cpu'" + options) // as what it is compared with
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
    job = runPage(CLUSTER.session(false, 1, Map.of()), "feed", "translated", "");
    Map<String, String> found = await("translated", 30);
    assertThat(found.keySet()).containsExactlyInAnyOrderElementsOf(feed.subList(0, 30));
    found.forEach((text, target) -> assertThat(target).isEqualTo(EXPECTED.get(text)));
  }

  /** Sends the first rows, and waits for those of full batches: eight are under way then. */
  private static void untilRowsAreUnderWay(String in, String out) throws Exception {
    send(in, feed.subList(0, FIRST));
    assertThat(await(out, FIRST - 8)).hasSize(FIRST - 8);
  }

  /** The rows after the first ones, so that with those under way they fill batches. */
  private static List<String> others() {
    return feed.subList(FIRST, FIRST + 2 * 64 - 8);
  }

  /** Without those under way in the state, the last batch would not be full, and rows missing. */
  private static void assertNothingIsLostOrRepeated(String out) throws Exception {
    List<String> all = feed.subList(0, FIRST + 2 * 64 - 8);
    Map<String, String> found = new HashMap<>();
    int rows = await(out, all.size(), found);
    assertThat(found.keySet()).containsExactlyInAnyOrderElementsOf(all);
    found.forEach((text, target) -> assertThat(target).isEqualTo(EXPECTED.get(text)));
    assertThat(rows).as("from nothing, the first rows would be there twice").isEqualTo(all.size());
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
    job = runPage(session, "killed-in", "killed-out", FULL_BATCHES);
    untilRowsAreUnderWay("killed-in", "killed-out");
    assertThat(SharedStages.process().size())
        .as("the batches of all subtasks are the same ones")
        .isEqualTo(1);

    CLUSTER.checkpoint(job.getJobClient().orElseThrow().getJobID());
    CLUSTER.replaceTaskManager();
    send("killed-in", others());

    assertNothingIsLostOrRepeated("killed-out");
  }

  /** Without draining, so that rows under way are neither awaited nor lost. */
  @Test
  void aJobStopsWithASavepointAndGoesOn(@TempDir Path savepoints) throws Exception {
    broker.createTopic("stopped-in", 1);
    broker.createTopic("stopped-out", 1);
    Map<String, String> checkpoints = Map.of("execution.checkpointing.interval", "1h");
    TableResult first =
        runPage(CLUSTER.session(false, 2, checkpoints), "stopped-in", "stopped-out", FULL_BATCHES);
    job = first;
    untilRowsAreUnderWay("stopped-in", "stopped-out");

    JobClient client = first.getJobClient().orElseThrow();
    String savepoint =
        client
            .stopWithSavepoint(false, savepoints.toUri().toString(), SavepointFormatType.CANONICAL)
            .get();
    client.getJobExecutionResult().get(); // fails if the job has
    job = null;
    assertThat(client.getJobStatus().get()).isEqualTo(JobStatus.FINISHED);

    job =
        runPage(
            CLUSTER.session(false, 2, Map.of("execution.state-recovery.path", savepoint)),
            "stopped-in",
            "stopped-out",
            FULL_BATCHES);
    send("stopped-in", others());

    assertNothingIsLostOrRepeated("stopped-out");
  }
}
