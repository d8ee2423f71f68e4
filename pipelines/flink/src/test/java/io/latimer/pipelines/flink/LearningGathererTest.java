package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.schemas.Batch;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Correction;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.StageReference;
import io.latimer.schemas.WordLink;
import java.net.URI;
import java.nio.file.Path;
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
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.TwoInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What gatherers do with {@code append} commands, and with swaps of stages that learn. */
@Timeout(60)
class LearningGathererTest {
  private static final String FIRST = "a".repeat(64);
  private static final String SECOND = "b".repeat(64);
  private static final JobConfig.Learn LEARN =
      new JobConfig.Learn("work", "", 6, 10_000, 4, "/compacted");
  private static final JobConfig.Learn UNCOMPACTED =
      new JobConfig.Learn("work", "", 6, 10_000, 4, "");

  private Stages stages = new Stages();
  private final BlockingQueue<ControlCommand> sent = new LinkedBlockingQueue<>();
  private JobConfig.Learn learn = UNCOMPACTED;

  /** Of the stage. */
  private String name = "work";

  private MailboxExecutor mailbox;
  private TwoInputStreamOperatorTestHarness<Envelope, Tuple2<String, List<ControlCommand>>, Batch>
      harness;

  /** Of all subtasks; null if each has one of its own. */
  private GroupCommandsTest.Master shared;

  /** With a job master and a topic of its own. */
  private final class Gatherer extends ControlledGatherer {
    private static final long serialVersionUID = 1L;

    private final transient GroupCommandsTest.Master master =
        shared == null ? new GroupCommandsTest.Master() : shared;

    Gatherer(List<BatchStage> stages) {
      super(
          "job",
          stages,
          List.of("work"),
          BatchGathererTest.LIMITS,
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
    void send(ControlCommand command) {
      sent.add(command);
    }
  }

  /** What the stages of the subtask were told. */
  private static final class Stages implements SwappableStages {
    private final List<String> events = new CopyOnWriteArrayList<>();
    private volatile LearnedPairs known = LearnedPairs.none();
    private volatile boolean allLearned;
    private volatile boolean full;

    /** The index that is opened once the latch says so. */
    private volatile String slow = "";

    private volatile CountDownLatch opened = new CountDownLatch(0);
    private volatile CountDownLatch written = new CountDownLatch(0);
    private volatile boolean unwritable;
    private volatile long firstInFlight = Long.MAX_VALUE;

    private static String label(IndexVersion version) {
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
    public void learned(String stage, LearnedPairs pairs, long decided) {
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
    public IndexRef compact(
        String stage, IndexVersion index, Path folder, String writer, BuildProgress progress) {
      events.add("compact " + label(index) + " into " + folder);
      await(written);
      progress.step("writing");
      events.add("write");
      if (unwritable) {
        throw new OperatorException("no space left");
      }
      return new IndexRef("phrase-index", URI.create("file:/compacted/b.lpx"), SECOND, "");
    }

    private static void await(CountDownLatch latch) {
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

  private void open(OperatorSubtaskState state, int subtasks, int subtask) throws Exception {
    stages.allLearned = false;
    BatchStage stage = new TestStage(name, batch -> {}, FIRST, false);
    ControlledGatherer gatherer = new Gatherer(List.of(stage));
    harness = new TwoInputStreamOperatorTestHarness<>(gatherer, 4, subtasks, subtask);
    harness.setup();
    harness
        .getEnvironment()
        .getJobConfiguration()
        .set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMinutes(1));
    mailbox = gatherer.getContainingTask().getMailboxExecutorFactory().createExecutor(0);
    SwappableStages.Key key =
        new SwappableStages.Key(harness.getEnvironment().getJobID(), name, subtask, 0);
    SwappableStages.OPEN.put(key, stages);
    try {
      if (state != null) {
        harness.initializeState(state);
      }
      harness.open();
    } finally {
      SwappableStages.OPEN.remove(key);
    }
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private void reopen(OperatorSubtaskState state) throws Exception {
    close();
    open(state, 1, 0);
  }

  private static Correction correction(String id) {
    return new Correction(
        id, Instant.ofEpochMilli(5), "das haus", "the house", List.of(new WordLink(0, 0)));
  }

  private static ControlCommand append(String id, Correction... corrections) {
    return ControlCommand.newBuilder()
        .setId(id)
        .setJob("job")
        .setTime(Instant.EPOCH)
        .setAppendTo("work")
        .setAppend(List.of(corrections))
        .build();
  }

  private static ControlCommand append(String id, String... corrections) {
    Correction[] all = new Correction[corrections.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = correction(corrections[i]);
    }
    return append(id, all);
  }

  private static ControlCommand swap(String id, String name, String sha256, long covers) {
    IndexReference reference =
        new IndexReference("translation-model", "file:/models/" + name, sha256, "");
    return ControlCommand.newBuilder()
        .setId(id)
        .setJob("job")
        .setTime(Instant.EPOCH)
        .setSwap(new StageReference("work", reference, 0L, 0L))
        .setCovers(covers)
        .build();
  }

  /** Carries out a command; returns its last status. */
  private String carryOut(ControlCommand command) throws Exception {
    harness.processElement2(new StreamRecord<>(Tuple2.of("round", List.of(command))));
    return end(command.getId());
  }

  private String end(String id) throws Exception {
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

  private List<String> statuses() {
    List<String> statuses = new ArrayList<>();
    if (harness.getSideOutput(Records.STATUSES) != null) {
      for (StreamRecord<ControlStatus> one : harness.getSideOutput(Records.STATUSES)) {
        ControlStatus status = one.getValue();
        assertThat(status.getStage()).isEqualTo("work");
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

  private void gather(String... texts) throws Exception {
    for (String text : texts) {
      harness.processElement1(new StreamRecord<>(Envelopes.of(text, 0), 0));
    }
  }

  /** The batches, with the index and the learned pairs that they are stamped with. */
  private List<String> output() {
    List<String> output = new ArrayList<>();
    for (Batch batch : harness.extractOutputValues()) {
      StageReference stamp = batch.getReferences().get(0);
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

  private static List<String> ids(LearnedPairs pairs) {
    return pairs.pairs().stream().map(LearnedPair::id).toList();
  }

  @Test
  void whatIsLearnedTakesEffectBetweenBatches() throws Exception {
    gather("x", "y");
    assertThat(carryOut(append("1", "one", "two"))).isEqualTo("in-use: learned pairs from 0 to 2");
    gather("p", "q", "r");
    Correction unaligned = correction("three");
    unaligned.setAlignment(null);
    assertThat(carryOut(append("2", unaligned))).isEqualTo("in-use: learned pairs from 0 to 3");
    gather("s", "t", "u");
    assertThat(output()).containsExactly("[x, y]a+0-0", "[p, q, r]a+0-2", "[s, t, u]a+0-3");
    assertThat(ids(stages.known)).containsExactly("one", "two", "three");
    assertThat(stages.known.get(2).alignment()).isEqualTo("0-0");
    assertThat(statuses()).contains("1 0 loading", "1 0 in-use: learned pairs from 0 to 2");
  }

  @Test
  void aCorrectionThatIsDeliveredAgainChangesNothing() throws Exception {
    carryOut(append("1", "one", "two"));
    assertThat(carryOut(append("2", "two", "one"))).isEqualTo("in-use: learned pairs from 0 to 2");
    assertThat(carryOut(append("3", "two", "three", "three")))
        .isEqualTo("in-use: learned pairs from 0 to 3");
    reopen(harness.snapshot(1, 1));
    assertThat(carryOut(append("4", "one", "three")))
        .isEqualTo("in-use: learned pairs from 0 to 3");
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]a+0-3");
  }

  @Test
  void moreThanThereIsRoomForIsRefused() throws Exception {
    carryOut(append("1", "1", "2", "3", "4", "5"));
    String full = "stage work has no room for more: it has 6 learned pairs with ";
    String part = carryOut(append("2nd", "5", "6", "7", "8", "7"));
    assertThat(part)
        .startsWith("refused: learned 2 of 4 corrections; " + full)
        .contains("max-pairs is 6")
        .contains("set compact.directory");
    assertThat(statuses())
        .contains("7 -1 " + part, "8 -1 " + part, "2nd 0 in-use: learned pairs from 0 to 6")
        .noneMatch(status -> status.startsWith("5 ") || status.startsWith("6 "));
    assertThat(ids(stages.known)).containsExactly("1", "2", "3", "4", "5", "6");
    assertThat(carryOut(append("3rd", "9", "6"))).startsWith("refused: " + full);
    assertThat(statuses())
        .contains("9 -1 " + carryOut(append("4th", "9")))
        .noneMatch(status -> status.startsWith("6 "));

    reopen(null);
    Correction large = correction("large");
    large.setSource("haus ".repeat(900));
    large.setTarget("house ".repeat(900));
    assertThat(carryOut(append("4", large))).startsWith("in-use");
    large.setId("larger");
    assertThat(carryOut(append("5", large))).contains("learned pairs with 99", "max-size 10000");
    assertThat(carryOut(append("6", large, correction("small")))).contains("learned 1 of 2");
    assertThat(ids(stages.known)).containsExactly("large", "small");
  }

  @Test
  void pairsThatWereRefusedLeaveTheirNumbersToOthers() throws Exception {
    carryOut(append("1", "one"));
    stages.full = true;
    assertThat(carryOut(append("2", "refused"))).isEqualTo("refused: too little memory");
    assertThat(ids(stages.known)).containsExactly("one");
    Correction bad = correction("bad");
    bad.setTarget("");
    assertThat(carryOut(append("3", bad)))
        .isEqualTo("refused: correction bad: the target sentence has no words");
    stages.full = false;
    assertThat(carryOut(append("4", "two"))).isEqualTo("in-use: learned pairs from 0 to 2");
    assertThat(ids(stages.known)).containsExactly("one", "two");
  }

  @Test
  void aRestoredSubtaskGoesOnWithWhatWasLearned() throws Exception {
    carryOut(append("1", "one", "two"));
    carryOut(append("2", "three"));
    LearnedPairs before = stages.known;
    OperatorSubtaskState state = harness.snapshot(1, 1);
    stages.known = LearnedPairs.none();
    reopen(state);
    assertThat(stages.known).isEqualTo(before);
    assertThat(stages.events).endsWith("open a+0-3");
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]a+0-3");
    assertThat(carryOut(append("3", "four"))).isEqualTo("in-use: learned pairs from 0 to 4");
  }

  @Test
  void whatIsNotDecidedIsLearnedAfterARestore() throws Exception {
    assertThat(stages.allLearned).isTrue();
    carryOut(append("1", "one"));
    ControlCommand refused = append("3", "bad");
    refused.getAppend().get(0).setTarget("");
    harness.processElement2(
        new StreamRecord<>(Tuple2.of("round", List.of(append("2", "two", "three"), refused))));
    OperatorSubtaskState state = harness.snapshot(1, 1); // its mails have not run
    reopen(state);
    assertThat(stages.events).endsWith("open a+0-1");
    harness.processElement2(new StreamRecord<>(Tuple2.of("next round", List.of())));
    assertThat(stages.allLearned).isFalse(); // restored batches may use what is pending
    assertThat(end("2")).isEqualTo("in-use: learned pairs from 0 to 3");
    assertThat(end("3")).startsWith("refused");
    assertThat(stages.allLearned).isTrue();
    assertThat(ids(stages.known)).containsExactly("one", "two", "three");
  }

  /** A subtask of several. */
  private record Subtask(
      Stages stages,
      MailboxExecutor mailbox,
      TwoInputStreamOperatorTestHarness<Envelope, Tuple2<String, List<ControlCommand>>, Batch>
          harness) {
    /** Runs mails; returns whether the subtask has carried out a command. */
    boolean uses(String command) throws Exception {
      while (mailbox.tryYield()) {
        // runs one mail
      }
      return harness.getSideOutput(Records.STATUSES) != null
          && harness.getSideOutput(Records.STATUSES).stream()
              .map(StreamRecord::getValue)
              .anyMatch(one -> one.getCommand().equals(command) && one.getState().equals("in-use"));
    }
  }

  private List<Subtask> openTwo(List<OperatorSubtaskState> states) throws Exception {
    List<Subtask> two = new ArrayList<>();
    for (int subtask = 0; subtask < 2; subtask++) {
      stages = new Stages();
      open(states.isEmpty() ? null : states.get(subtask), 2, subtask);
      two.add(new Subtask(stages, mailbox, harness));
    }
    return two;
  }

  private static void pass(List<Subtask> subtasks, String round, ControlCommand... commands)
      throws Exception {
    for (Subtask one : subtasks) {
      one.harness.processElement2(new StreamRecord<>(Tuple2.of(round, List.of(commands))));
    }
  }

  private static void awaitUse(List<Subtask> subtasks, String command) throws Exception {
    boolean used = false;
    while (!used) {
      TimeUnit.MILLISECONDS.sleep(5);
      used = true;
      for (Subtask one : subtasks) {
        used &= one.uses(command);
      }
    }
  }

  /** The barrier reaches one of them some commands later than the other. */
  @Test
  void aSubtaskThatLagsBehindLearnsTheSamePairsUnderTheSameNumbers() throws Exception {
    close();
    shared = new GroupCommandsTest.Master();
    List<Subtask> two = openTwo(List.of());
    pass(two, "round", append("1", "one"));
    awaitUse(two, "1");
    pass(two, "round", append("2", "two", "three"), append("3", "one"), append("4", "four"));
    OperatorSubtaskState behind = two.get(1).harness.snapshot(1, 1);
    awaitUse(two, "4");
    OperatorSubtaskState ahead = two.get(0).harness.snapshot(1, 1);
    for (Subtask one : two) {
      one.harness.close();
    }

    two = openTwo(List.of(ahead, behind));
    assertThat(ids(two.get(0).stages.known)).containsExactly("one", "two", "three", "four");
    assertThat(ids(two.get(1).stages.known)).containsExactly("one");
    pass(two, "next round", append("5", "five"));
    awaitUse(two, "5");
    assertThat(ids(two.get(1).stages.known)).endsWith("four", "five").hasSize(5);
    assertThat(two.get(1).stages.known).isEqualTo(two.get(0).stages.known);
    two.get(0).harness.close(); // the other one is closed after the test
  }

  @Test
  void allSubtasksHaveTheSamePairsAfterRescaling() throws Exception {
    carryOut(append("1", "one", "two"));
    carryOut(append("2", "three"));
    LearnedPairs before = stages.known;
    OperatorSubtaskState state = harness.snapshot(1, 1);
    close();
    List<OperatorSubtaskState> of3 = new ArrayList<>();
    for (int subtask = 0; subtask < 3; subtask++) {
      of3.add(rescaled(List.of(state), 1, 3, subtask, before));
    }
    for (int subtask = 0; subtask < 2; subtask++) {
      rescaled(of3, 3, 2, subtask, before);
    }
    open(null, 1, 0);
  }

  /** Opens a subtask of a rescaled job, and returns its state. */
  private OperatorSubtaskState rescaled(
      List<OperatorSubtaskState> states, int from, int to, int subtask, LearnedPairs expected)
      throws Exception {
    OperatorSubtaskState all =
        AbstractStreamOperatorTestHarness.repackageState(
            states.toArray(OperatorSubtaskState[]::new));
    stages.known = LearnedPairs.none();
    open(
        AbstractStreamOperatorTestHarness.repartitionOperatorState(all, 4, from, to, subtask),
        to,
        subtask);
    assertThat(stages.known).isEqualTo(expected);
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]a+0-3");
    OperatorSubtaskState state = harness.snapshot(2, 2);
    close();
    return state;
  }

  @Test
  void aSwapKeepsThePairsThatTheNewIndexDoesNotHave() throws Exception {
    carryOut(append("1", "one", "two"));
    carryOut(append("2", "three"));
    assertThat(carryOut(swap("3", "b", SECOND, 4)))
        .startsWith("refused: the swap says that the new index has the first 4 learned pairs");
    assertThat(carryOut(swap("4", "b", SECOND, 2))).startsWith("in-use");
    gather("x", "y", "z");
    assertThat(stages.known.from()).isZero(); // for batches in flight
    carryOut(append("5", "four"));
    gather("p", "q", "r");
    assertThat(carryOut(swap("6", "c", "c".repeat(64), 4))).startsWith("in-use");
    gather("s", "t", "u");
    harness.snapshot(1, 1);
    harness.notifyOfCompletedCheckpoint(1);
    reopen(harness.snapshot(2, 2));
    assertThat(ids(stages.known)).containsExactly("three", "four");
    gather("v", "w", "x");
    assertThat(output()).containsExactly("[v, w, x]c+4-4");
    // back: what is known of its pairs is used again
    assertThat(carryOut(swap("7", "b", SECOND, 2))).startsWith("in-use");
    assertThat(stages.events).endsWith("prepare b+2-4");
    assertThat(carryOut(append("8", "five"))).isEqualTo("in-use: learned pairs from 2 to 5");
  }

  @Test
  void enoughPairsAreWrittenToANewIndexToWhichTheStageIsSwapped() throws Exception {
    learn = LEARN;
    reopen(null);
    carryOut(append("1", "one", "two", "three"));
    carryOut(append("2", "four"));
    ControlCommand swap = sent.take();
    assertThat(stages.events).contains("compact a+0-4 into /compacted");
    assertThat(swap.getId()).startsWith("compact-");
    assertThat(swap.getJob()).isEqualTo("job");
    assertThat(swap.getCovers()).isEqualTo(4);
    assertThat(swap.getSwap().getStage()).isEqualTo("work");
    assertThat(swap.getSwap().getReference().getSha256()).isEqualTo(SECOND);

    // a failure before the command was carried out: another one is sent, which then changes nothing
    reopen(harness.snapshot(1, 1));
    ControlCommand again = sent.take();
    assertThat(again.getId()).isNotEqualTo(swap.getId());
    carryOut(append("3", "five"));
    assertThat(carryOut(swap)).startsWith("in-use");
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]b+4-5");
    assertThat(carryOut(again)).startsWith("refused: the new index was made of another one");
    carryOut(append("4", "six"));
    assertThat(sent).isEmpty();
  }

  /** Numbers of pairs that were learned after the checkpoint are given to others. */
  @Test
  void aNewIndexWithOtherPairsThanTheStageHasIsRefused() throws Exception {
    learn = LEARN;
    reopen(null);
    carryOut(append("1", "one", "two"));
    OperatorSubtaskState state = harness.snapshot(1, 1);
    carryOut(append("2", "three", "four"));
    ControlCommand swap = sent.take();
    reopen(state);
    assertThat(carryOut(swap)).startsWith("refused: the swap says").contains("first 4");
    carryOut(append("3", "other", "another"));
    swap.setId("again");
    assertThat(carryOut(swap))
        .startsWith("refused: the new index has other learned pairs in it than stage work");
    carryOut(append("4", "three", "four"));
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]a+0-6");
    assertThat(ids(stages.known))
        .containsExactly("one", "two", "other", "another", "three", "four");
  }

  @Test
  void aCompactionDoesNotTakeBackASwapThatIsStillLoading() throws Exception {
    learn = LEARN;
    reopen(null);
    stages.written = new CountDownLatch(1);
    carryOut(append("1", "1", "2", "3", "4"));
    String third = "c".repeat(64);
    stages.slow = third;
    stages.opened = new CountDownLatch(1);
    ControlCommand byHand = swap("by hand", "c", third, 0);
    harness.processElement2(new StreamRecord<>(Tuple2.of("round", List.of(byHand))));
    stages.written.countDown();
    ControlCommand compaction = sent.take();
    stages.opened.countDown();
    assertThat(end("by hand")).startsWith("in-use");
    assertThat(carryOut(compaction)).startsWith("refused: the new index was made of another one");
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]c+0-4");
  }

  @Test
  void pairsThatBatchesInFlightMayNeedStayInTheStateForACheckpoint() throws Exception {
    carryOut(append("1", "one", "two"));
    carryOut(swap("2", "b", SECOND, 2));
    carryOut(append("3", "three"));
    harness.snapshot(1, 1);
    carryOut(swap("4", "c", "c".repeat(64), 3));
    harness.notifyOfCompletedCheckpoint(1); // it began before
    reopen(harness.snapshot(2, 2));
    assertThat(ids(stages.known)).containsExactly("one", "two", "three");
    // whether they are still there must make no difference between subtasks
    assertThat(carryOut(swap("5", "d", "d".repeat(64), 1))).contains("those before number 2");
    assertThat(carryOut(append("6", "one", "three")))
        .isEqualTo("in-use: learned pairs from 3 to 4");
    carryOut(append("7", "five"));
    carryOut(swap("8", "e", "e".repeat(64), 5));
    harness.snapshot(3, 3);
    harness.notifyOfCompletedCheckpoint(4);
    reopen(harness.snapshot(5, 5));
    assertThat(ids(stages.known)).containsExactly("one", "five");
    assertThat(stages.known.from()).isEqualTo(3);
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]e+5-5");
  }

  @Test
  void aSwapWaitsForBatchesFromBeforeTheLastOne() throws Exception {
    carryOut(append("1", "one", "two"));
    carryOut(swap("2", "b", SECOND, 2));
    carryOut(append("3", "three"));
    stages.firstInFlight = 0;
    ControlCommand swap = swap("4", "c", "c".repeat(64), 3);
    harness.processElement2(new StreamRecord<>(Tuple2.of("round", List.of(swap))));
    while (!statuses().contains("4 0 loading")) {
      mailbox.tryYield();
      TimeUnit.MILLISECONDS.sleep(1);
    }
    TimeUnit.MILLISECONDS.sleep(100);
    assertThat(stages.events).doesNotContain("prepare c+3-3");
    stages.firstInFlight = 2;
    assertThat(end("4")).startsWith("in-use");
  }

  @Test
  void aSwapSaysWhichPairsAreBesideTheNewIndexAndLosesNone() throws Exception {
    assertThat(carryOut(swap("first", "b", SECOND, 0))).isEqualTo("in-use");
    carryOut(append("1", "one", "two"));
    assertThat(carryOut(swap("2", "c", "c".repeat(64), 1)))
        .isEqualTo("in-use: learned pairs from 1 to 2 beside it");
    carryOut(append("3", "three"));
    assertThat(carryOut(swap("4", "d", "d".repeat(64), 3)))
        .isEqualTo("in-use: learned pairs from 3 to 3 beside it");
    carryOut(swap("5", "e", "e".repeat(64), 3));
    assertThat(carryOut(swap("6", "f", "f".repeat(64), 0)))
        .startsWith("refused: the swap says that the new index has the first 0 learned pairs in it")
        .contains("those before number 3 are only in index files")
        .endsWith("give --covers 3 or more");
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]e+3-3");
  }

  @Test
  void aSwapThatWouldLeaveMorePairsThanThereIsRoomForIsRefused() throws Exception {
    carryOut(append("1", "1", "2", "3", "4", "5", "6"));
    carryOut(swap("2", "b", SECOND, 6));
    carryOut(append("3", "7", "8"));
    assertThat(carryOut(swap("4", "c", "c".repeat(64), 0)))
        .startsWith("refused: stage work would have 8 learned pairs with ")
        .contains("max-pairs is 6")
        .contains("--covers");
    assertThat(carryOut(swap("5", "c", "c".repeat(64), 2))).startsWith("in-use");

    Correction large = correction("large");
    large.setSource("haus ".repeat(900));
    large.setTarget("house ".repeat(700));
    reopen(null);
    carryOut(append("6", large));
    carryOut(swap("7", "b", SECOND, 1));
    large.setId("larger");
    carryOut(append("8", large));
    assertThat(carryOut(swap("9", "c", "c".repeat(64), 0)))
        .startsWith("refused: stage work would have 2 learned pairs with ")
        .contains("max-size 10000");
  }

  @Test
  void aSwapThatLeavesManyPairsIsFollowedByACompaction() throws Exception {
    learn = LEARN;
    reopen(null);
    carryOut(append("1", "1", "2"));
    carryOut(swap("2", "c", "c".repeat(64), 2));
    carryOut(append("3", "3", "4"));
    assertThat(sent).isEmpty();
    carryOut(swap("4", "d", "d".repeat(64), 0));
    assertThat(sent.take().getReplaces()).isEqualTo("d".repeat(64));
  }

  /** It would take the swap back. */
  @Test
  void aNewIndexThatWasMadeOfAnotherThanTheOneInUseIsNotUsed() throws Exception {
    learn = new JobConfig.Learn("work", "", 1_000, 1_000_000, 4, "/compacted");
    reopen(null);
    stages.written = new CountDownLatch(1);
    carryOut(append("1", "1", "2", "3", "4"));
    carryOut(swap("2", "c", "c".repeat(64), 0));
    stages.written.countDown();
    int next = 5;
    while (sent.isEmpty() && next < 1_000) { // until the first attempt has ended
      carryOut(append("append " + next, "" + next));
      next++;
    }
    ControlCommand swap = sent.take();
    assertThat(swap.getCovers()).isGreaterThan(4);
    assertThat(stages.events).contains("compact c+0-" + swap.getCovers() + " into /compacted");
  }

  @Test
  void aCompactionIsTriedAgainAfterSomeTimeUntilItSucceeds() throws Exception {
    learn = LEARN;
    stages.unwritable = true;
    reopen(null);
    carryOut(append("1", "1", "2", "3", "4", "5", "6"));
    assertThat(carryOut(append("2", "7"))).contains("has no room for more");
    compactions(2); // a new attempt, although nothing can be learned
    stages.unwritable = false;
    ControlCommand first = compaction();
    stages.full = true;
    assertThat(carryOut(first)).isEqualTo("refused: too little memory");
    assertThat(sent).isEmpty(); // not at once
    stages.full = false;
    ControlCommand second = compaction();
    assertThat(second.getId()).isNotEqualTo(first.getId());
    assertThat(carryOut(second)).startsWith("in-use");
    assertThat(carryOut(append("3", "7"))).isEqualTo("in-use: learned pairs from 6 to 7");
  }

  @Test
  void aCompactionEndsWithItsTaskAndAnotherOneBeginsThen() throws Exception {
    learn = LEARN;
    reopen(null);
    CountDownLatch written = new CountDownLatch(1);
    stages.written = written;
    carryOut(append("1", "1", "2", "3", "4"));
    compactions(1);
    reopen(harness.snapshot(1, 1));
    stages.written = new CountDownLatch(0);
    harness.setProcessingTime(harness.getProcessingTime() + 60_000);
    TimeUnit.MILLISECONDS.sleep(100); // another one would have begun
    assertThat(stages.events.stream().filter(event -> event.startsWith("compact"))).hasSize(1);
    written.countDown();
    assertThat(carryOut(compaction())).startsWith("in-use");
    assertThat(stages.events.stream().filter(event -> event.startsWith("compact"))).hasSize(2);
    assertThat(stages.events).containsOnlyOnce("write");
    assertThat(sent).isEmpty();
  }

  /** Lets time pass until this many index files were begun. */
  private void compactions(long count) throws Exception {
    while (stages.events.stream().filter(event -> event.startsWith("compact")).count() < count) {
      harness.setProcessingTime(harness.getProcessingTime() + 1_000);
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  /** Lets time pass until a compaction sends a command. */
  private ControlCommand compaction() throws Exception {
    while (sent.isEmpty()) {
      harness.setProcessingTime(harness.getProcessingTime() + 1_000);
      TimeUnit.MILLISECONDS.sleep(1);
    }
    return sent.take();
  }

  @Test
  void whatAStageHasLearnedIsForgottenWhenItIsGone() throws Exception {
    carryOut(append("1", "one", "two"));
    OperatorSubtaskState state = harness.snapshot(1, 1);
    name = "other";
    reopen(state);
    assertThat(stages.events).endsWith("open a+0-0");
    state = harness.snapshot(2, 2);
    name = "work";
    reopen(state);
    assertThat(stages.events).endsWith("open a+0-0");
    assertThat(carryOut(append("2", "one"))).isEqualTo("in-use: learned pairs from 0 to 1");
  }
}
