package io.latimer.pipelines.flink.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.flink.Envelopes;
import io.latimer.pipelines.flink.TestStage;
import io.latimer.pipelines.flink.batch.BatchGathererTest;
import io.latimer.pipelines.flink.batch.ChainedStages;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.job.ControlConfig;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.schemas.Batch;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Correction;
import io.latimer.schemas.CorrectionStatus;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.StageIndexVersion;
import io.latimer.schemas.WordLink;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.TwoInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A gatherer of a stage that learns, in Flink's harness. */
@Timeout(60)
abstract class LearningHarness {
  static final String FIRST = "a".repeat(64);
  static final String SECOND = "b".repeat(64);
  static final ControlConfig.Learn LEARN =
      new ControlConfig.Learn("work", "", 6, 10_000, 4, "/compacted");
  static final ControlConfig.Learn UNCOMPACTED =
      new ControlConfig.Learn("work", "", 6, 10_000, 4, "");

  static final int IN_FLIGHT = 3;

  Stages stages = new Stages();
  final BlockingQueue<ControlCommand> sent = new LinkedBlockingQueue<>();
  ControlConfig.Learn learn = UNCOMPACTED;

  /** Whether they take what is sent. */
  volatile CountDownLatch brokers = new CountDownLatch(0);

  /** Of the stage. */
  String name = "work";

  /** The name of the index that statuses are about. */
  String index = "work";

  MailboxExecutor mailbox;
  TwoInputStreamOperatorTestHarness<Envelope, Tuple2<String, List<ControlCommand>>, Batch> harness;

  /** Of all subtasks; null if each has one of its own. */
  GroupCommandsTest.Master shared;

  /** With a job master and a topic of its own. */
  final class Gatherer extends ControlledGatherer {
    static final long serialVersionUID = 1L;

    final transient GroupCommandsTest.Master master =
        shared == null ? new GroupCommandsTest.Master() : shared;

    Gatherer(List<BatchStage> stages) {
      super(
          "job",
          stages,
          List.of("work"),
          BatchGathererTest.LIMITS,
          IN_FLIGHT,
          Duration.ofMinutes(1),
          List.of(learn),
          null);
    }

    @Override
    public void finish() {
      // harnesses finish operators when they are closed, as tasks that fail do not
    }

    @Override
    GlobalAggregateManager master(StreamingRuntimeContext context) {
      return master;
    }

    @Override
    void send(ControlCommand command) throws InterruptedException {
      sent.add(command);
      brokers.await();
    }
  }

  /** What the stages of the subtask were told. */
  static final class Stages implements ChainedStages {
    final List<String> events = new CopyOnWriteArrayList<>();
    volatile LearnedPairs known = LearnedPairs.none();

    /** Those that were known while the last version was prepared. */
    volatile LearnedPairs knownBefore = LearnedPairs.none();

    volatile boolean allLearned;

    /** Number of pairs that a restored batch waits for. */
    long awaited;

    int inFlight;
    volatile boolean full;

    /** The index that is opened once the latch says so. */
    volatile String slow = "";

    volatile CountDownLatch opened = new CountDownLatch(0);
    volatile CountDownLatch written = new CountDownLatch(0);
    volatile boolean unwritable;
    volatile boolean untranslatable;
    volatile long firstInFlight = Long.MAX_VALUE;

    static String label(IndexVersion version) {
      return version.index().sha256().charAt(0)
          + "+"
          + version.learned().from()
          + "-"
          + version.learned().to();
    }

    @Override
    public void open(Map<String, IndexVersion> indexes) {
      events.add("open " + label(indexes.values().iterator().next()));
    }

    @Override
    public Prepared prepare(String stage, IndexVersion version) {
      knownBefore = known;
      if (version.index().sha256().equals(slow)) {
        await(opened);
      }
      if (full) {
        throw new OperatorException("too little memory");
      }
      events.add("prepare " + label(version));
      return () -> events.add("closed " + label(version));
    }

    @Override
    public Prepared use(Prepared prepared) {
      return () -> {};
    }

    @Override
    public LearnedPair align(String stage, IndexVersion index, LearnedPair pair) {
      assertThat(pair.alignment()).isEmpty();
      return new LearnedPair(pair.id(), pair.time(), pair.source(), pair.target(), "0-0");
    }

    @Override
    public List<String> translate(String stage, List<String> texts, Duration patience) {
      assertThat(patience).isPositive();
      if (untranslatable) {
        throw new OperatorException("the stage is busy");
      }
      return texts.stream().map(text -> text + " with " + ids(known)).toList();
    }

    @Override
    public void learned(String stage, LearnedPairs pairs) {
      known = pairs;
    }

    @Override
    public void allLearned() {
      assertThat(allLearned).isFalse();
      allLearned = true;
    }

    @Override
    public long firstPairInFlight(String stage) {
      return firstInFlight;
    }

    @Override
    public boolean hasBatchesWithoutPairs() {
      return known.to() < awaited;
    }

    @Override
    public int batchesInFlight() {
      return inFlight;
    }

    @Override
    public boolean areBusy() {
      return false;
    }

    @Override
    public void whenDone(Runnable action) {
      // they are never busy
    }

    /** Native code, and what writes a file, knows no interrupts. */
    private static void awaitUninterruptibly(CountDownLatch latch) {
      boolean interrupted = false;
      while (latch.getCount() > 0) {
        try {
          latch.await();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public IndexRef compact(
        String stage, IndexVersion index, String folder, String writer, BuildProgress progress) {
      events.add("compact " + label(index) + " into " + folder);
      awaitUninterruptibly(written);
      progress.step("writing");
      events.add("write");
      if (unwritable) {
        throw new OperatorException("no space left");
      }
      return new IndexRef("phrase-index", URI.create("file:/compacted/b.lpx"), SECOND, "");
    }

    static void await(CountDownLatch latch) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @BeforeEach
  void open() throws Exception {
    open(null, 1, 0);
  }

  void open(OperatorSubtaskState state, int subtasks, int subtask) throws Exception {
    stages.allLearned = false;
    ControlledGatherer gatherer = new Gatherer(List.of(stage()));
    harness = new TwoInputStreamOperatorTestHarness<>(gatherer, 4, subtasks, subtask);
    harness.setup();
    harness
        .getEnvironment()
        .getJobConfiguration()
        .set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMinutes(1));
    mailbox = gatherer.getContainingTask().getMailboxExecutorFactory().createExecutor(0);
    ChainedStages.Key key =
        new ChainedStages.Key(harness.getEnvironment().getJobID(), name, subtask, 0);
    ChainedStages.OPEN.put(key, stages);
    try {
      if (state != null) {
        harness.initializeState(state);
      }
      harness.open();
    } finally {
      ChainedStages.OPEN.remove(key);
    }
  }

  BatchStage stage() {
    return new TestStage(name, batch -> {}, FIRST, false);
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  void reopen(OperatorSubtaskState state) throws Exception {
    close();
    open(state, 1, 0);
  }

  static Correction correction(String id) {
    return new Correction(
        id, Instant.ofEpochMilli(5), "das haus", "the house", List.of(new WordLink(0, 0)));
  }

  static ControlCommand append(String id, Correction... corrections) {
    return ControlCommand.newBuilder()
        .setId(id)
        .setJob("job")
        .setTime(Instant.EPOCH)
        .setAppendTo("work")
        .setAppend(List.of(corrections))
        .build();
  }

  static ControlCommand append(String id, String... corrections) {
    Correction[] all = new Correction[corrections.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = correction(corrections[i]);
    }
    return append(id, all);
  }

  static ControlCommand swap(String id, String name, String sha256, long covers) {
    IndexReference reference =
        new IndexReference("translation-model", "file:/models/" + name, sha256, "");
    return ControlCommand.newBuilder()
        .setId(id)
        .setJob("job")
        .setTime(Instant.EPOCH)
        .setSwap(new StageIndexVersion("work", reference, 0L, 0L))
        .setCovers(covers)
        .build();
  }

  /** Carries out a command; returns its last status. */
  String carryOut(ControlCommand command) throws Exception {
    harness.processElement2(new StreamRecord<>(Tuple2.of("round", List.of(command))));
    return end(command.getId());
  }

  String end(String id) throws Exception {
    while (true) {
      while (mailbox.tryYield()) {
        // runs one mail
      }
      for (String status : statuses()) {
        if (status.startsWith(id + " -1 ")) {
          return status.substring(id.length() + 4);
        }
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  List<String> statuses() {
    List<String> statuses = new ArrayList<>();
    if (harness.getSideOutput(Records.STATUSES) != null) {
      for (StreamRecord<ControlStatus> one : harness.getSideOutput(Records.STATUSES)) {
        ControlStatus status = one.getValue();
        assertThat(status.getStage()).isEqualTo(index);
        statuses.add(
            status.getCommand()
                + " "
                + status.getSubtask()
                + " "
                + status.getState()
                + (status.getMessage().isEmpty() ? "" : ": " + status.getMessage()));
      }
    }
    return statuses;
  }

  /** What became of the corrections of a command that has ended. */
  List<CorrectionStatus> corrections(String command) {
    return harness.getSideOutput(Records.STATUSES).stream()
        .map(one -> one.getValue())
        .filter(one -> one.getCommand().equals(command) && one.getSubtask() < 0)
        .flatMap(one -> one.getCorrections().stream())
        .toList();
  }

  void gather(String... texts) throws Exception {
    for (String text : texts) {
      harness.processElement1(new StreamRecord<>(Envelopes.of(text, 0), 0));
    }
  }

  /** The batches, with the index and the learned pairs that they are stamped with. */
  List<String> output() {
    List<String> output = new ArrayList<>();
    for (Batch batch : harness.extractOutputValues()) {
      StageIndexVersion stamp = batch.getReferences().get(0);
      output.add(
          Envelopes.texts(batch.getEnvelopes()).toString()
              + stamp.getReference().getSha256().charAt(0)
              + "+"
              + stamp.getLearnedFrom()
              + "-"
              + stamp.getLearnedTo());
    }
    return output;
  }

  static List<String> ids(LearnedPairs pairs) {
    return pairs.pairs().stream().map(LearnedPair::id).toList();
  }
}
