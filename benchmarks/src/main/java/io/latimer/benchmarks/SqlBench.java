package io.latimer.benchmarks;

import io.latimer.kafka.EmbeddedKafka;
import io.latimer.pipelines.flink.TranslationJob;
import io.latimer.pipelines.job.JobConfigReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A topic translated by a job, and by Flink SQL with the same stage, batches and parallelism: how
 * many rows must be under way in each subtask so that SQL keeps up. Prints sentences per second,
 * with start-up cancelled out by the difference of a long and a short run.
 *
 * <p>Arguments: the stage ({@code identity} or {@code translate}), the device, the parallelism, the
 * sentences of the short and of the long run; if you like, the largest number of records in a batch
 * (64), and the numbers of rows under way (10 64 256 1024). Run it in the project's root.
 */
public final class SqlBench {
  private static final String MODEL = "examples/models/tatoeba-en-de.lmx";
  private static final List<Integer> CALLS = List.of(10, 64, 256, 1024);
  private static final int ROUNDS = 3;

  private final EmbeddedKafka broker;
  private final String stage;
  private final String device;
  private final int parallelism;
  private final int batch;
  private int runs;

  /** Runs a topic into another one. */
  private interface Run {
    void execute(String in, String out) throws Exception;
  }

  private SqlBench(EmbeddedKafka broker, StageRuns runs, int batch) {
    this.broker = broker;
    this.batch = batch;
    stage = runs.stage();
    device = runs.device();
    parallelism = runs.parallelism();
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws Exception {
    StageRuns runs = StageRuns.of(args.length > 5 ? Arrays.copyOf(args, 5) : args);
    int batch = args.length > 5 ? Integer.parseInt(args[5]) : 64;
    List<Integer> under =
        args.length > 6 ? Arrays.stream(args).skip(6).map(Integer::valueOf).toList() : CALLS;
    try (EmbeddedKafka broker = EmbeddedKafka.start()) {
      SqlBench bench = new SqlBench(broker, runs, batch);
      bench.produce("short", runs.few());
      bench.produce("long", runs.many());
      Map<String, Run> ways = new LinkedHashMap<>();
      ways.put("job", bench::job);
      for (int calls : under) {
        ways.put(calls + " calls", (in, out) -> bench.sql(in, out, calls, "ORDERED"));
      }
      int unordered = under.get(under.size() / 2);
      ways.put(
          unordered + " calls, unordered",
          (in, out) -> bench.sql(in, out, unordered, "ALLOW_UNORDERED"));
      for (Run way : ways.values()) {
        bench.seconds("short", runs.few(), way); // warm
      }
      for (int i = 0; i < ROUNDS; i++) { // in turn, as the machine may not be idle
        for (Map.Entry<String, Run> way : ways.entrySet()) {
          runs.measure(way.getKey(), (in, expected) -> bench.seconds(in, expected, way.getValue()));
        }
      }
    }
  }

  private double seconds(String in, int expected, Run run) throws Exception {
    String out = "out-" + runs++;
    broker.createTopic(out, 1);
    long start = System.nanoTime();
    run.execute(in, out);
    double seconds = (System.nanoTime() - start) / 1e9;
    long found = records(out);
    if (found != expected) {
      throw new IllegalStateException(
          "topic " + out + " has " + found + " records, expected " + expected);
    }
    return seconds;
  }

  private StreamExecutionEnvironment environment() {
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(parallelism, new Configuration());
    env.setParallelism(parallelism);
    return env;
  }

  private void job(String in, String out) throws Exception {
    String options = stage.equals("identity") ? "" : "model: " + MODEL + ", ";
    String yaml =
        """
        name: %2$s
        source:
          kafka: {bootstrap-servers: "%1$s", topics: [%3$s], start: earliest, bounded: true}
        batch: {max-records: %8$d, max-tokens: 1000000}
        stages: [%4$s: {%5$sdevice: %6$s}]
        sinks:
          - kafka: {bootstrap-servers: "%1$s", topic: %2$s, delivery: at-least-once, format: text}
        dead-letters: fail
        parallelism: %7$d
        checkpoints: {interval: 1s}
        """
            .formatted(
                broker.bootstrapServers(), out, in, stage, options, device, parallelism, batch);
    StreamExecutionEnvironment env = environment();
    TranslationJob.build(env, JobConfigReader.read(yaml, "bench.yaml", Path.of(".")));
    env.execute();
  }

  private void sql(String in, String out, int calls, String mode) throws Exception {
    StreamTableEnvironment session = StreamTableEnvironment.create(environment());
    session.getConfig().set("execution.checkpointing.interval", "1s");
    session
        .getConfig()
        .set("table.exec.async-ml-predict.max-concurrent-operations", String.valueOf(calls));
    session.getConfig().set("table.exec.async-ml-predict.output-mode", mode);
    String kafka =
        "'connector' = 'kafka', 'properties.bootstrap.servers' = '"
            + broker.bootstrapServers()
            + "', 'format' = 'raw', 'topic' = '";
    session.executeSql(
        "CREATE TABLE feed (`text` STRING) WITH ("
            + kafka
            + in
            + "', 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset')");
    session.executeSql("CREATE TABLE done (target STRING) WITH (" + kafka + out + "')");
    session.executeSql(
        "CREATE MODEL m INPUT (`text` STRING) OUTPUT (target STRING, error STRING) WITH ("
            + "'provider' = 'latimer', 'task' = '"
            + stage
            + "', 'batch.max-tokens' = '1000000', 'batch.max-records' = '"
            + batch
            + "', 'device' = '"
            + device
            + (stage.equals("identity") ? "" : "', 'model' = '" + MODEL)
            + "')");
    session
        .executeSql(
            "INSERT INTO done SELECT target FROM ML_PREDICT(TABLE feed, MODEL m,"
                + " DESCRIPTOR(`text`))")
        .await();
  }

  private void produce(String topic, int count) throws Exception {
    broker.createTopic(topic, parallelism);
    List<String> sentences = Files.readAllLines(Path.of("examples/feeds/everyday.en.txt"));
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers(), "linger.ms", 5),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (int i = 0; i < count; i++) {
        byte[] line = sentences.get(i % sentences.size()).getBytes(StandardCharsets.UTF_8);
        Future<?> unused = producer.send(new ProducerRecord<>(topic, i % parallelism, null, line));
      }
    }
  }

  private long records(String topic) {
    TopicPartition partition = new TopicPartition(topic, 0);
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      return consumer.endOffsets(List.of(partition)).get(partition);
    }
  }
}
