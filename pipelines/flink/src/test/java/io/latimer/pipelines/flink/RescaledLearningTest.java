package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.flink.state.SavedState;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.stage.LearningStage;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.Correction;
import io.latimer.schemas.Envelope;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job that has learned is restored with fewer subtasks than its batches in flight need. */
class RescaledLearningTest extends SavedCommands {
  private static final int PARTITIONS = 3;
  private static final int HELD = 2 * PARTITIONS;

  /** What each batch was, and the ids of the pairs that it had. */
  private static ConcurrentLinkedQueue<String> begun;

  private static CountDownLatch goOn;

  private KafkaProducer<byte[], byte[]> producer;
  private int sent;

  RescaledLearningTest() {
    super("rescaled");
  }

  /** Holds batches of the text "held". */
  private static final class Learner extends TestStage implements LearningStage {
    private static final long serialVersionUID = 1L;

    Learner(List<String> ids) {
      super("phrases", batch -> work(batch, ids), "a".repeat(64), false);
    }

    private static void work(List<Envelope> batch, List<String> ids) throws Exception {
      String text = batch.get(0).getSentence().getText();
      begun.add(text + " " + ids);
      if (text.startsWith("held")) {
        goOn.await();
      }
    }

    @Override
    public Learner on(IndexRef index, LearnedPairs learned) {
      return new Learner(new ArrayList<>(learned.pairs().stream().map(LearnedPair::id).toList()));
    }

    @Override
    public LearnedPair align(LearnedPair pair) {
      return new LearnedPair(pair.id(), pair.time(), pair.source(), pair.target(), "0-0");
    }

    @Override
    public IndexRef compact(String folder, String writer, BuildProgress progress) {
      throw new AssertionError("the job does not ask for it");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void moreBatchesThanASubtaskTakesAreRestoredWithTheirPairs(boolean ordered) throws Exception {
    begun = new ConcurrentLinkedQueue<>();
    goOn = new CountDownLatch(1);
    broker.createTopic("in", PARTITIONS);
    try (KafkaProducer<byte[], byte[]> open =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer = open;
      String savepoint = savepoint(ordered);
      goOn.countDown();
      begun.clear();
      JobClient job =
          CLUSTER.restore(savepoint, job(1, 1, ordered), new Learner(new ArrayList<>()));
      List<String> held = new ArrayList<>();
      for (int i = 0; i < HELD; i++) {
        held.add("held" + i + " [one]");
      }
      while (!begun.containsAll(held)) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
      append("two");
      awaitUse("[one, two]");
      CLUSTER.checkpoint(job.getJobID());
      end(job);
    }
    assertThat(begun).doesNotHaveDuplicates();
  }

  /** With batches in flight in each of several subtasks. */
  private String savepoint(boolean ordered) throws Exception {
    int room = 1_000; // watermarks take some of it
    JobClient job = CLUSTER.start(job(PARTITIONS, room, ordered), new Learner(new ArrayList<>()));
    append("one");
    awaitUse("[one]");
    for (int i = 0; i < HELD; i++) {
      send(i % PARTITIONS, "held" + i);
    }
    while (begun.stream().filter(one -> one.startsWith("held")).count() < PARTITIONS) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
    String savepoint =
        job.triggerSavepoint(
                folder.resolve("savepoint").toUri().toString(), SavepointFormatType.CANONICAL)
            .get();
    assertThat(SavedState.read(savepoint).batchesInFlight().get("stage-phrases"))
        .isGreaterThanOrEqualTo(PARTITIONS);
    job.cancel().get();
    goOn.countDown();
    CLUSTER.awaitEnd(job.getJobID());
    return savepoint;
  }

  /** Sends texts until batches of all partitions have these pairs. */
  private void awaitUse(String ids) throws Exception {
    for (int partition = 0; partition < PARTITIONS; partition++) {
      boolean used = false;
      while (!used) {
        String text = "asked" + sent;
        send(partition, text);
        while (begun.stream().noneMatch(one -> one.startsWith(text + " "))) {
          TimeUnit.MILLISECONDS.sleep(10);
        }
        used = begun.contains(text + " " + ids);
      }
    }
  }

  private void send(int partition, String text) throws Exception {
    byte[] value = text.getBytes(StandardCharsets.UTF_8);
    producer.send(new ProducerRecord<>("in", partition, null, value)).get();
    sent++;
  }

  private void append(String id) throws Exception {
    Correction correction = new Correction(id, Instant.EPOCH, "das haus", "the house", null);
    send(
        ControlCommand.newBuilder()
            .setId("append " + id)
            .setJob("rescaled")
            .setTime(Instant.EPOCH)
            .setAppendTo("phrases")
            .setAppend(List.of(correction))
            .build());
  }

  private JobConfig job(int parallelism, int inFlight, boolean ordered) {
    String yaml =
        """
        name: rescaled
        source: {kafka: {bootstrap-servers: "%1$s", topics: in, start: earliest}}
        batch: {max-records: 1, in-flight: %2$d, ordered: %3$s}
        stages: [phrases: {index: "%4$s"}]
        sinks: [print: {}]
        control:
          bootstrap-servers: "%1$s"
          topic: commands
          start: earliest
          learn: [{stage: phrases}]
        parallelism: %5$d
        checkpoints: {interval: 1h}
        restarts: {attempts: 0}
        """
            .formatted(
                broker.bootstrapServers(),
                inFlight,
                ordered,
                SavedStateTest.INDEXES.resolve("phrases.lpx"),
                parallelism);
    return JobConfigReader.read(yaml, "job.yaml", folder);
  }
}
