package io.latimer.pipelines.flink.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.flink.Envelopes;
import io.latimer.pipelines.flink.TestStage;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.flink.record.SinkValues;
import io.latimer.pipelines.flink.state.IndexState;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.pipelines.stage.LearningStage;
import io.latimer.schemas.Batch;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.StageIndexVersion;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.metrics.MetricRegistry;
import org.apache.flink.runtime.metrics.groups.TaskManagerMetricGroup;
import org.apache.flink.runtime.metrics.groups.TaskMetricGroup;
import org.apache.flink.runtime.metrics.util.TestingMetricRegistry;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperatorFactory;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Batches that are stamped with learned pairs use these pairs, whatever later ones use. */
@Timeout(60)
class LearnedBatchesTest {
  private static final String SHA256 = "a".repeat(64);

  /** Text and learned pairs of batches, in the order in which they were worked on. */
  private static final List<String> USED = new CopyOnWriteArrayList<>();

  private OneInputStreamOperatorTestHarness<Batch, Batch> harness;
  private volatile Gauge<?> learnedPairs;
  private AsyncDataStream.OutputMode output = AsyncDataStream.OutputMode.ORDERED;

  /** Notes which pairs it has when it works on a batch. */
  private static final class Learner extends TestStage implements LearningStage {
    private static final long serialVersionUID = 1L;

    Learner(List<String> ids) {
      super(
          "work",
          batch -> {
            String text = batch.get(0).getSentence().getText();
            if (text.equals("bad")) {
              throw new OperatorException("no bad texts");
            }
            USED.add(text + " " + ids);
          },
          SHA256,
          false);
    }

    @Override
    public Learner on(IndexRef index, LearnedPairs learned) {
      return new Learner(new ArrayList<>(learned.pairs().stream().map(LearnedPair::id).toList()));
    }

    @Override
    public LearnedPair align(LearnedPair pair) {
      throw new AssertionError("the gatherer asks for it");
    }

    @Override
    public IndexRef compact(String folder, String writer, BuildProgress progress) {
      throw new AssertionError("the gatherer asks for it");
    }
  }

  @BeforeEach
  void open() throws Exception {
    USED.clear();
    open(null);
  }

  private void open(OperatorSubtaskState state) throws Exception {
    StageFunction function =
        new StageFunction(
            "job",
            List.of(new Learner(new ArrayList<>())),
            Duration.ofMinutes(1),
            3,
            true,
            SinkValues.NONE);
    TypeSerializer<Batch> serializer = Records.BATCH.createSerializer(new SerializerConfigImpl());
    harness =
        new OneInputStreamOperatorTestHarness<>(
            new AsyncWaitOperatorFactory<>(function, 0, 8, output),
            serializer,
            new MockEnvironmentBuilder().setMetricGroup(metrics()).build());
    harness.setup(serializer);
    if (state != null) {
      harness.initializeState(state);
    }
    harness.open();
  }

  /** Metrics of the task, whose number of learned pairs is kept. */
  private TaskMetricGroup metrics() {
    MetricRegistry registry =
        TestingMetricRegistry.builder()
            .setNumberReporters(1)
            .setRegisterConsumer(
                (metric, name, group) -> {
                  if (name.equals("learnedPairs")) {
                    learnedPairs = (Gauge<?>) metric;
                  }
                })
            .build();
    return TaskManagerMetricGroup.createTaskManagerMetricGroup(
            registry, "host", ResourceID.generate())
        .addJob(new JobID(), "job")
        .addTask(ExecutionAttemptID.randomId(), "task");
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private ChainedStages stages() {
    return ChainedStages.OPEN.get(
        new ChainedStages.Key(harness.getEnvironment().getJobID(), "work", 0, 0));
  }

  private static LearnedPairs pairs(long from, String... ids) {
    List<LearnedPair> pairs = new ArrayList<>();
    for (String id : ids) {
      pairs.add(new LearnedPair(id, 0, "das haus", "the house", "0-0 1-1"));
    }
    return LearnedPairs.none(from).with(pairs);
  }

  private static IndexVersion version(LearnedPairs pairs) {
    return new IndexVersion(
        new IndexRef("translation-model", URI.create("file:/models/m.lmx"), SHA256, "1"), pairs);
  }

  /** A batch of one text that uses some pairs. */
  private void process(String text, long from, long to) throws Exception {
    IndexReference index = IndexState.toAvro(version(LearnedPairs.none()).index());
    Batch batch =
        new Batch(
            List.of(Envelopes.of(text, 0)),
            Instant.EPOCH,
            List.of(new StageIndexVersion("work", index, from, to)));
    harness.processElement(batch, 0);
  }

  private void runMails(int results) throws Exception {
    while (harness.extractOutputValues().size() < results) {
      harness
          .getTaskMailbox()
          .tryTake(TaskMailbox.MIN_PRIORITY)
          .ifPresent(
              mail -> {
                try {
                  mail.run();
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  @Test
  void aBatchUsesThePairsOfItsStamp() throws Exception {
    LearnedPairs all = pairs(3, "x", "y", "z");
    stages().learned("work", all);
    stages().open(Map.of("work", version(all)));
    process("all", 3, 6);
    process("less", 3, 5);
    process("compacted", 4, 6);
    process("none", 6, 6);
    runMails(4);
    assertThat(USED)
        .containsExactlyInAnyOrder("all [x, y, z]", "less [x, y]", "compacted [y, z]", "none []");
    assertThat(harness.extractOutputValues().get(1).getReferences().get(0).getLearnedTo())
        .isEqualTo(5);
  }

  /** The operator restores it before the gatherer restores the pairs, and even more are pending. */
  @Test
  void aRestoredBatchWaitsForItsPairs() throws Exception {
    process("later", 0, 2);
    process("soon", 0, 1);
    OperatorSubtaskState state = harness.snapshot(1, 1);
    close();
    open(state);
    assertThat(harness.getTaskMailbox().hasMail()).isFalse(); // the gatherer may open for long
    stages().learned("work", pairs(0, "x"));
    stages().open(Map.of("work", version(pairs(0, "x"))));
    while (USED.isEmpty()) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    assertThat(USED).containsExactly("soon [x]");
    stages().learned("work", pairs(0, "x", "y"));
    stages().allLearned();
    runMails(2);
    assertThat(USED).containsExactly("soon [x]", "later [x, y]");
  }

  @Test
  void textsAreTranslatedBesideTheBatchesOnTheVersionsInUse() throws Exception {
    LearnedPairs known = pairs(0, "x", "y");
    stages().learned("work", known);
    stages().open(Map.of("work", version(known)));
    process("batch", 0, 1);
    Duration patience = Duration.ofSeconds(30);
    assertThat(stages().translate("work", List.of("one", "two"), patience))
        .containsExactly("ONE", "TWO");
    assertThat(USED).containsExactlyInAnyOrder("batch [x]", "one [x, y]");
    assertThat(stages().translate("work.glossary", List.of("one"), patience)).isEmpty();
    runMails(1);
    assertThat(Envelopes.texts(harness.extractOutputValues().get(0).getEnvelopes()))
        .containsExactly("batch");

    assertThatThrownBy(() -> stages().translate("work", List.of("bad"), patience))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("no bad texts");
    process("next", 0, 2);
    runMails(2); // which what fails beside them does not fail
  }

  @Test
  void theGaugeShowsThePairsOfLaterBatches() throws Exception {
    ChainedStages stages = stages();
    stages.open(Map.of("work", version(pairs(0, "x"))));
    assertThat(learnedPairs.getValue()).isEqualTo(1);
    ChainedStages.Prepared next = stages.prepare("work", version(pairs(0, "x", "y", "z")));
    assertThat(learnedPairs.getValue()).isEqualTo(1);
    ChainedStages.Prepared before = stages.use(next);
    assertThat(learnedPairs.getValue()).isEqualTo(3);
    stages.use(before).close();
    assertThat(learnedPairs.getValue()).isEqualTo(1);
  }

  @Test
  void aRestoredBatchFailsTheTaskOnceNothingCanBringItsPairs() throws Exception {
    process("more", 0, 2);
    OperatorSubtaskState state = harness.snapshot(1, 1);
    close();
    open(state);
    stages().learned("work", pairs(0, "x"));
    stages().open(Map.of("work", version(pairs(0, "x"))));
    assertThatThrownBy(stages()::allLearned)
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("stage work needs those from 0 to 2, found 0 to 1");
    assertThat(USED).isEmpty();
  }

  /** No command brings back what is dropped, and none is carried out as long as it waits. */
  @Test
  void aRestoredBatchWhosePairsAreDroppedFailsTheTaskAtOnce() throws Exception {
    process("dropped", 1, 3);
    process("later", 2, 5);
    OperatorSubtaskState state = harness.snapshot(1, 1);
    close();
    open(state);
    assertThatThrownBy(() -> stages().learned("work", pairs(2, "x", "y")))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("stage work needs those from 1 to 3, found 2 to 4");
    assertThat(USED).isEmpty();
  }

  @Test
  void aLaterBatchDoesNotWaitForPairsThatDoNotCome() throws Exception {
    stages().learned("work", pairs(3, "x"));
    stages().open(Map.of("work", version(pairs(3, "x"))));
    stages().allLearned();
    process("dropped", 2, 4);
    assertThatThrownBy(() -> runMails(1))
        .hasCauseInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("stage work needs those from 2 to 4, found 3 to 4");
  }

  @Test
  void pairsOfBatchesInFlightAreKnown() throws Exception {
    process("none", 4, 4);
    process("later", 5, 8);
    process("soon", 6, 7);
    assertThat(stages().firstPairInFlight("work")).isEqualTo(5);
    assertThat(stages().firstPairInFlight("other")).isEqualTo(Long.MAX_VALUE);
    LearnedPairs all = pairs(5, "x", "y", "z");
    stages().learned("work", all);
    stages().open(Map.of("work", version(all)));
    runMails(3);
    assertThat(stages().firstPairInFlight("work")).isEqualTo(Long.MAX_VALUE);
  }

  /** A checkpoint has each batch whose result was not emitted. */
  @ParameterizedTest
  @EnumSource
  void pairsOfBatchesThatAreDoneAreNeededUntilTheyAreEmitted(AsyncDataStream.OutputMode mode)
      throws Exception {
    close();
    output = mode;
    open(null);
    LearnedPairs known = pairs(5, "x", "y", "z");
    stages().learned("work", known);
    stages().open(Map.of("work", version(known)));
    process("held", 7, 9); // until pair 8 is known
    process("done", 5, 8);
    process("last", 6, 8);
    while (harness.getTaskMailbox().size() < 2) { // the thread is done with both
      TimeUnit.MILLISECONDS.sleep(1);
    }
    process("another", 8, 8);
    while (harness.getTaskMailbox().size() < 3) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    assertThat(stages().firstPairInFlight("work")).isEqualTo(5);
    if (mode == AsyncDataStream.OutputMode.ORDERED) {
      for (int results = 0; results < 3; results++) {
        harness.getTaskMailbox().take(TaskMailbox.MIN_PRIORITY).run();
      }
      assertThat(stages().firstPairInFlight("work")).isEqualTo(5);
    } else {
      runMails(3);
      assertThat(stages().firstPairInFlight("work")).isEqualTo(7);
    }
    LearnedPairs all = pairs(5, "x", "y", "z", "last");
    stages().learned("work", all);
    runMails(4);
    assertThat(stages().firstPairInFlight("work")).isEqualTo(Long.MAX_VALUE);
  }
}
