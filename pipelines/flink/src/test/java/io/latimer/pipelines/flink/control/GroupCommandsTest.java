package io.latimer.pipelines.flink.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.flink.control.CommandVotes.Vote;
import io.latimer.schemas.CommandOutcome;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.SwapState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class GroupCommandsTest {
  private static final int SUBTASKS = 2;
  private static final String NO_MEMORY = "no memory";

  private final Master master = new Master();
  private final List<Subtask> started = new ArrayList<>();

  /** As the job master does it. */
  public static final class Master implements GlobalAggregateManager {
    private final Map<String, Object> all = new HashMap<>();

    /** Bytes of the largest answer. */
    private int largest;

    /** How often it was asked. */
    private int asked;

    /** Bytes of the largest answer. */
    public synchronized int largest() {
      return largest;
    }

    @Override
    @SuppressWarnings("unchecked")
    public synchronized <IN, ACC, OUT> OUT updateGlobalAggregate(
        String name, Object value, AggregateFunction<IN, ACC, OUT> function) {
      asked++;
      ACC before = (ACC) all.get(name);
      ACC now = function.add((IN) value, before == null ? function.createAccumulator() : before);
      all.put(name, now);
      OUT answer = function.getResult(now);
      try {
        largest = Math.max(largest, InstantiationUtil.serializeObject(answer).length);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return answer;
    }
  }

  /** A subtask with its task's thread, and what it did. */
  private final class Subtask implements GroupCommands.Task, CommandKind {
    private final List<String> events = Collections.synchronizedList(new ArrayList<>());
    private final List<String> endedInAll = Collections.synchronizedList(new ArrayList<>());
    private final ExecutorService task = Executors.newSingleThreadExecutor();
    private final List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
    private final GroupCommands swaps;
    private final boolean ofAllGroups;

    /** Why it cannot load an index; null if it can. */
    private final String problem;

    private volatile boolean loads = true;
    private volatile boolean olderBatches;

    /** What commands wait for before they load something, as often as they are interrupted. */
    private volatile CountDownLatch awaited = new CountDownLatch(0);

    /** Interrupts that are lost. */
    private final AtomicInteger lost = new AtomicInteger();

    /** Held while something is loaded. */
    private final Semaphore loading = new Semaphore(1);

    Subtask(int number, String problem) {
      this("score", number, problem, false, Duration.ofMinutes(1));
    }

    Subtask(String group, int number, String problem, boolean ofAllGroups, Duration limit) {
      this(group, number, problem, ofAllGroups, limit, TimeUnit.MILLISECONDS::sleep);
    }

    Subtask(
        String group,
        int number,
        String problem,
        boolean ofAllGroups,
        Duration limit,
        PollPauses.Sleep sleep) {
      this.problem = problem;
      this.ofAllGroups = ofAllGroups;
      swaps =
          new GroupCommands(
              this,
              new GroupCommands.Place(List.of("score", "translate"), group, number, SUBTASKS),
              master,
              limit,
              this::thread,
              sleep);
      started.add(this);
    }

    private Thread thread(Runnable work) {
      Thread thread = new Thread(work);
      threads.add(thread);
      return thread;
    }

    /** Waits until its threads have ended. */
    void awaitThreads() throws InterruptedException {
      for (Thread thread : List.copyOf(threads)) {
        thread.join();
      }
    }

    @Override
    public void mail(ThrowingRunnable<Exception> mail, String description) {
      task.execute(
          () -> {
            try {
              mail.run();
            } catch (Exception e) {
              events.add("failed: " + e.getMessage());
            }
          });
    }

    @Override
    public CommandKind kind(ControlCommand command) {
      return this;
    }

    @Override
    public boolean hasOlderBatches() {
      return olderBatches;
    }

    @Override
    public void preparing(ControlCommand command) {
      events.add("loading " + command.getId());
    }

    @Override
    public Runnable decided(ControlCommand command, Change change, String reason) {
      events.add((change == null ? "keeps" : "uses") + " " + command.getId() + reason);
      return change == null ? null : change.apply();
    }

    @Override
    public void ended(ControlCommand command, boolean tells, String reason) {
      events.add("ended " + command.getId() + (tells ? " in all" : ""));
    }

    @Override
    public boolean isFor(ControlCommand command) {
      return true;
    }

    @Override
    public boolean ofAllGroups() {
      return ofAllGroups;
    }

    @Override
    public boolean loads() {
      return loads;
    }

    @Override
    public Change prepare(ControlCommand command) {
      if (problem != null && problem.equals(NO_MEMORY)) {
        throw new OutOfMemoryError("Java heap space");
      }
      if (problem != null) {
        throw new OperatorException(problem);
      }
      awaitOlder();
      if (loads) {
        loading.acquireUninterruptibly();
        loading.release();
      }
      return new Change() {
        @Override
        public MicroBatcher.Fill fill() {
          return MicroBatcher.Fill.SWAP;
        }

        @Override
        public Runnable apply() {
          return () -> events.add("closed old");
        }

        @Override
        public void close() {
          events.add("dropped " + command.getId());
        }
      };
    }

    private void awaitOlder() {
      while (awaited.getCount() > 0) { // an interrupt may come before it began
        try {
          awaited.await();
        } catch (InterruptedException e) {
          if (lost.getAndDecrement() <= 0) {
            throw new OperatorException("interrupted", e);
          }
        }
      }
    }

    @Override
    public void write(SwapState.Builder state) {
      throw new AssertionError("the gatherer does it");
    }

    @Override
    public String stage(ControlCommand command) {
      return "";
    }

    @Override
    public IndexReference reference(ControlCommand command) {
      return null;
    }

    @Override
    public String what(ControlCommand command) {
      return "/" + command.getId();
    }

    @Override
    public void endedInAll(String command) {
      endedInAll.add(command);
    }

    void await(String event) throws InterruptedException {
      while (!events.contains(event)) {
        TimeUnit.MILLISECONDS.sleep(5);
      }
    }
  }

  @AfterEach
  void close() {
    for (Subtask one : started) {
      one.swaps.close();
      one.task.shutdownNow();
    }
  }

  private static ControlCommand command(String id) {
    return ControlCommand.newBuilder().setId(id).setJob("job").setTime(Instant.EPOCH).build();
  }

  /** Of this group alone. */
  private static CommandOutcome outcome(String id, boolean committed) {
    return new CommandOutcome(id, committed, "", false, false);
  }

  @Test
  void allUseWhatAllHaveLoaded() throws Exception {
    Subtask one = new Subtask(0, null);
    Subtask two = new Subtask(1, null);
    one.swaps.begin("r", List.of());
    one.swaps.add(command("a"));
    one.await("loading a");
    TimeUnit.MILLISECONDS.sleep(200);
    assertThat(one.events).containsExactly("loading a"); // the other one has not voted
    two.swaps.add(command("a")); // before the round: it waits
    two.swaps.add(command("b"));
    two.swaps.begin("r", List.of());
    one.swaps.add(command("b"));
    one.await("ended b in all");
    two.await("ended b");
    assertThat(one.events)
        .containsExactly(
            "loading a",
            "uses a",
            "closed old",
            "ended a in all",
            "loading b",
            "uses b",
            "closed old",
            "ended b in all");
    assertThat(two.events)
        .containsExactlyElementsOf(
            one.events.stream().map(event -> event.replace(" in all", "")).toList());
  }

  @Test
  void noneUsesWhatOneCannotLoad() throws Exception {
    Subtask one = new Subtask(0, null);
    Subtask two = new Subtask(1, "too little memory");
    for (Subtask subtask : started) {
      subtask.swaps.begin("r", List.of());
      subtask.swaps.add(command("a"));
    }
    one.await("ended a in all");
    two.await("ended a");
    assertThat(one.events)
        .containsExactly("loading a", "keeps atoo little memory", "dropped a", "ended a in all");
    assertThat(two.events).containsExactly("loading a", "keeps atoo little memory", "ended a");
    EndedCommands ended = new EndedCommands(master);
    while (ended.among(List.of("a", "b")).commands().isEmpty()) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    assertThat(ended.among(List.of("a", "b")).commands()).containsExactly("a");
  }

  @Test
  void tooLittleMemoryInOneIsARefusalAndFailsNoTask() throws Exception {
    Subtask one = new Subtask(0, null);
    Subtask two = new Subtask(1, NO_MEMORY);
    for (Subtask subtask : started) {
      subtask.swaps.begin("r", List.of());
      subtask.swaps.add(command("a"));
    }
    one.await("ended a in all");
    two.await("ended a");
    String kept = "keeps ajava.lang.OutOfMemoryError: Java heap space";
    assertThat(one.events).containsExactly("loading a", kept, "dropped a", "ended a in all");
    assertThat(two.events).containsExactly("loading a", kept, "ended a");
  }

  /** A checkpoint came between the two; only one of them has it in its state. */
  @Test
  void aSubtaskFollowsOneThatHadSwitchedBeforeARestore() throws Exception {
    Subtask one = new Subtask(0, null);
    one.swaps.add(command("a")); // it has not told the end
    one.swaps.begin("r", List.of(outcome("a", true)));
    Subtask two = new Subtask(1, null);
    two.swaps.add(command("a"));
    two.swaps.begin("r", List.of());
    one.await("ended a in all");
    two.await("ended a");
    assertThat(one.events).containsExactly("ended a in all");
    assertThat(two.events).containsExactly("loading a", "uses a", "closed old", "ended a");
  }

  /** The one that lags behind would drop what the other's batches need. */
  @Test
  void aSubtaskFollowsOnceTheOthersHaveNoOlderBatches() throws Exception {
    Subtask one = new Subtask(0, null);
    one.olderBatches = true;
    one.swaps.begin("r", List.of(outcome("a", true)));
    Subtask two = new Subtask(1, null);
    two.swaps.add(command("a"));
    two.swaps.begin("r", List.of());
    TimeUnit.MILLISECONDS.sleep(200);
    assertThat(two.events).isEmpty();
    one.olderBatches = false;
    two.await("ended a");
    assertThat(two.events).contains("uses a");
  }

  /** Barriers reach subtasks at different times, and many commands may be carried out between. */
  @Test
  void aSubtaskThatLagsBehindByManyCommandsFollowsInTheirOrder() throws Exception {
    Subtask one = new Subtask(0, null);
    Subtask two = new Subtask(1, null);
    one.swaps.add(command("d"));
    one.swaps.begin("r", List.of(outcome("a", true), outcome("b", false), outcome("c", true)));
    for (String id : List.of("b", "c", "d")) {
      two.swaps.add(command(id));
    }
    two.swaps.begin("r", List.of(outcome("a", true)));
    for (Subtask subtask : started) {
      subtask.swaps.add(command("e"));
      subtask.swaps.finish(() -> subtask.events.add("finished"));
    }
    one.await("finished");
    two.await("finished");
    assertThat(one.events.stream().filter(event -> event.startsWith("uses")))
        .isSubsetOf("uses d", "uses e");
    assertThat(two.events.stream().filter(event -> event.matches("(uses|keeps) [abcd].*")))
        .startsWith("keeps brefused before the job's restart", "uses c");
    assertThat(one.events).contains("ended d in all").doesNotContain("loading b", "loading c");
  }

  /** A later group takes its snapshot later, or earlier, and has commands of its own. */
  @Test
  void aGroupThatLagsBehindAnotherFollowsIt() throws Exception {
    for (String group : List.of("score", "translate")) {
      for (int subtask = 0; subtask < SUBTASKS; subtask++) {
        new Subtask(group, subtask, null, true, Duration.ofMinutes(1));
      }
    }
    List<CommandOutcome> decided = new ArrayList<>();
    for (int set = 0; set < 3; set++) {
      decided.add(new CommandOutcome("set " + set, true, "", true, false));
      decided.add(outcome("swap of score " + set, true));
    }
    for (Subtask subtask : started.subList(0, 2)) {
      subtask.swaps.begin("r", decided);
    }
    for (Subtask subtask : started.subList(2, 4)) {
      subtask.swaps.add(command("set 1"));
      subtask.swaps.add(command("set 2"));
      subtask.swaps.begin("r", List.of(new CommandOutcome("set 0", true, "", true, true)));
    }
    for (Subtask subtask : started) {
      subtask.swaps.finish(() -> subtask.events.add("finished"));
    }
    for (Subtask subtask : started) {
      subtask.await("finished");
    }
    for (Subtask subtask : started.subList(2, 4)) {
      assertThat(subtask.events).containsSubsequence("uses set 1", "uses set 2", "finished");
    }
  }

  /** The job file may have another group now, which never had the command. */
  @Test
  void aCommandThatOthersDoNotKnowIsDecidedWithoutThem() throws Exception {
    for (String group : List.of("score", "translate")) {
      for (int subtask = 0; subtask < SUBTASKS; subtask++) {
        new Subtask(group, subtask, null, true, Duration.ofMinutes(1));
      }
    }
    for (Subtask subtask : started.subList(2, 4)) {
      subtask.swaps.add(command("a"));
      subtask.swaps.begin("r", List.of());
    }
    TimeUnit.MILLISECONDS.sleep(200);
    assertThat(started).noneMatch(subtask -> subtask.events.contains("uses a"));
    for (Subtask subtask : started.subList(0, 2)) {
      subtask.swaps.begin("r", List.of()); // only now is it known that they have nothing to say
    }
    for (Subtask subtask : started.subList(2, 4)) {
      subtask.await("uses a");
    }
  }

  /** Else it would fail at every restart. */
  @Test
  void aSubtaskWhoseInputEndsWhileItFollowsLoadsToTheEnd() throws Exception {
    Subtask one = new Subtask(0, null);
    one.swaps.begin("r", List.of(outcome("a", true), outcome("b", true)));
    Subtask two = new Subtask(1, null);
    two.loading.acquire();
    two.swaps.add(command("a"));
    two.swaps.add(command("b"));
    two.swaps.begin("r", List.of());
    two.await("loading a");
    TimeUnit.MILLISECONDS.sleep(100);
    two.swaps.finish(() -> two.events.add("finished"));
    TimeUnit.MILLISECONDS.sleep(100);
    two.loading.release();
    two.await("finished");
    assertThat(two.events)
        .contains("uses a", "uses b")
        .noneMatch(event -> event.startsWith("failed"));
  }

  /** A clock that stands still once some time has passed. */
  private static final class Hour implements PollPauses.Sleep {
    private final CountDownLatch over = new CountDownLatch(1);
    private long millis;

    @Override
    public void sleep(long pause) throws InterruptedException {
      assertThat(pause).isBetween(1L, PollPauses.MOST_MILLIS);
      millis += pause;
      if (millis >= Duration.ofHours(1).toMillis()) {
        over.countDown();
        new CountDownLatch(1).await();
      }
    }
  }

  /** Each of many subtasks asks, and the job master has other work. */
  @Test
  void theJobMasterIsAskedLessAndLessOftenWhileOthersAreAwaited() throws Exception {
    Hour votes = new Hour();
    Subtask one = new Subtask("score", 0, null, false, Duration.ofMinutes(1), votes);
    one.swaps.begin("r", List.of());
    one.swaps.add(command("a"));
    votes.over.await();
    assertThat(master.asked).isBetween(1_000, 2_500); // every 50 ms would be 72,000

    master.asked = 0;
    Hour beginning = new Hour();
    Subtask two = new Subtask("score", 1, null, false, Duration.ofMinutes(1), beginning);
    two.swaps.begin("another", List.of(outcome("a", true)));
    beginning.over.await();
    assertThat(master.asked).isBetween(1_000, 2_500);
  }

  /** A job may be idle for weeks. */
  @Test
  void theJobMasterIsNotAskedWhileNoCommandIsUnderWay() throws Exception {
    CommandOutcome known = new CommandOutcome("a", true, "", false, true);
    for (int subtask = 0; subtask < SUBTASKS; subtask++) {
      Subtask one = new Subtask(subtask, null);
      one.swaps.begin("r", List.of(known));
      one.swaps.add(command("b"));
    }
    for (Subtask subtask : started) {
      while (!subtask.endedInAll.contains("b")) {
        TimeUnit.MILLISECONDS.sleep(5);
      }
    }
    int asked = master.asked;
    TimeUnit.MILLISECONDS.sleep(500);
    assertThat(master.asked).isEqualTo(asked);
  }

  /** Most votes are equal. */
  @Test
  void answersDoNotGrowWithTheNumberOfSubtasks() throws Exception {
    int subtasks = 256;
    for (int subtask = 0; subtask < subtasks; subtask++) {
      CommandVotes votes = new CommandVotes(List.of("score"), "score", subtask, subtasks, master);
      assertThat(votes.begin("r", Map.of()).complete(List.of("score")))
          .isEqualTo(subtask == subtasks - 1);
      CommandVotes.Votes all = votes.vote("r", "a", subtask % 2 == 0 ? Vote.PENDING : Vote.APPLIED);
      assertThat(all.complete(List.of("score"))).isEqualTo(subtask == subtasks - 1);
    }
    assertThat(master.largest).isLessThan(500);
  }

  /** The answers of the job master must be smaller than Flink's limit of 10 MB, far smaller. */
  @Test
  void refusalsOfManySubtasksStaySmall() throws Exception {
    int subtasks = 64;
    String refusal = "";
    for (int command = 0; command < 100; command++) {
      for (int subtask = 0; subtask < subtasks; subtask++) {
        CommandVotes votes = new CommandVotes(List.of("score"), "score", subtask, subtasks, master);
        Vote vote = Vote.refused("subtask " + subtask + ": " + "no memory, ".repeat(80));
        refusal = votes.vote("r", "command " + command, vote).refusal();
        votes.vote("r", "command " + command, Vote.dropped(refusal));
      }
    }
    assertThat(refusal).startsWith("subtask 0: ").hasSizeLessThan(1_100);
    assertThat(master.largest).isBetween(1_000, 100_000);
  }

  @Test
  void itIsKnownWhenAllHaveCarriedOutACommand() throws Exception {
    Subtask one = new Subtask(0, null);
    Subtask two = new Subtask(1, null);
    for (Subtask subtask : started) {
      subtask.swaps.begin("r", List.of());
    }
    one.swaps.add(command("a"));
    one.await("loading a");
    TimeUnit.MILLISECONDS.sleep(200);
    assertThat(one.endedInAll).isEmpty();
    two.swaps.add(command("a"));
    for (Subtask subtask : started) {
      while (!subtask.endedInAll.contains("a")) {
        TimeUnit.MILLISECONDS.sleep(5);
      }
    }
  }

  @Test
  void aSubtaskThatCannotFollowFails() throws Exception {
    Subtask one = new Subtask(0, null);
    one.swaps.begin("r", List.of(outcome("a", true)));
    Subtask two = new Subtask(1, "no such file");
    two.swaps.begin("r", List.of());
    two.swaps.add(command("a"));
    while (two.events.size() < 2) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    assertThat(two.events.get(1))
        .startsWith("failed: ")
        .contains("other subtasks have carried out command a (/a), which cannot be")
        .endsWith("here: no such file");
  }

  @Test
  void aSubtaskKeepsWhatAnotherHadRefusedBeforeARestore() throws Exception {
    Subtask one = new Subtask(0, null);
    one.swaps.begin("r", List.of(outcome("a", false)));
    Subtask two = new Subtask(1, null);
    two.swaps.begin("r", List.of());
    two.swaps.add(command("a"));
    two.await("ended a");
    assertThat(two.events)
        .containsExactly(
            "loading a", "keeps arefused before the job's restart", "dropped a", "ended a");
  }

  /** What was loaded in an earlier round may not be loaded any more. */
  @Test
  void votesOfAnEarlierRoundDoNotCount() throws Exception {
    Subtask before = new Subtask(1, null);
    before.swaps.begin("r1", List.of());
    before.swaps.add(command("a"));
    before.await("loading a");
    Subtask one = new Subtask(0, null);
    one.swaps.begin("r2", List.of());
    one.swaps.add(command("a"));
    one.await("loading a");
    TimeUnit.MILLISECONDS.sleep(300);
    assertThat(one.events).containsExactly("loading a");
  }

  @Test
  void aSubtaskWithoutInputRefuses() throws Exception {
    Subtask one = new Subtask(0, null);
    Subtask two = new Subtask(1, null);
    two.swaps.finish(() -> {});
    for (Subtask subtask : started) {
      subtask.swaps.begin("r", List.of());
      subtask.swaps.add(command("a"));
    }
    one.await("keeps athe input of subtask 1 has ended");
  }

  /** So that a checkpoint without it has nothing that waits for it. */
  @Test
  void aSubtaskWithoutInputFinishesWhenAllHaveCarriedOutItsCommands() throws Exception {
    Subtask one = new Subtask(0, null);
    Subtask two = new Subtask(1, null);
    for (Subtask subtask : started) {
      subtask.swaps.begin("r", List.of());
      subtask.swaps.add(command("a"));
    }
    two.await("ended a");
    one.swaps.add(command("b"));
    two.swaps.add(command("b"));
    one.loading.acquire();
    two.await("loading b");
    one.await("loading b");
    two.swaps.finish(() -> two.events.add("finished"));
    TimeUnit.MILLISECONDS.sleep(200);
    assertThat(two.events).doesNotContain("finished");
    one.loading.release();
    two.await("finished");
    assertThat(one.events).contains("ended b in all");
  }

  @Test
  void aSubtaskWithoutCommandsFinishesAtOnce() throws Exception {
    Subtask one = new Subtask(0, null);
    one.swaps.begin("r", List.of());
    one.swaps.finish(() -> one.events.add("finished"));
    one.await("finished");
  }

  /** It does not know any more whether the others are as far. */
  @Test
  void aRestoredSubtaskFinishesWhenTheOthersHaveFollowed() throws Exception {
    Subtask two = new Subtask(1, null);
    two.swaps.begin("r", List.of(outcome("a", true)));
    two.swaps.finish(() -> two.events.add("finished"));
    TimeUnit.MILLISECONDS.sleep(200);
    assertThat(two.events).isEmpty();
    Subtask one = new Subtask(0, null);
    one.swaps.add(command("a"));
    one.swaps.begin("r", List.of());
    two.await("finished");
    assertThat(one.events).contains("uses a", "ended a in all");
  }

  /** The checkpoint came when one group had finished, and the other had not noted the end. */
  @Test
  void aRestoredGroupFinishesAfterOneThatHadFinishedBefore() throws Exception {
    for (int subtask = 0; subtask < SUBTASKS; subtask++) {
      new Subtask("translate", subtask, null, true, Duration.ofMinutes(1));
    }
    CommandOutcome set = new CommandOutcome("set", true, "", true, false);
    for (Subtask subtask : started) {
      subtask.swaps.begin("r", List.of(set));
    }
    TimeUnit.MILLISECONDS.sleep(200);
    assertThat(started).allMatch(subtask -> subtask.endedInAll.isEmpty()); // score may have it
    for (Subtask subtask : started) {
      subtask.swaps.finish(() -> subtask.events.add("finished"));
    }
    for (Subtask subtask : started) {
      subtask.await("finished");
      assertThat(subtask.endedInAll).containsExactly("set");
    }
  }

  /** A group that has finished its input still waits for those behind it. */
  @Test
  void aRestoredGroupFinishesWhenThoseBehindItHaveFollowed() throws Exception {
    for (int subtask = 0; subtask < SUBTASKS; subtask++) {
      new Subtask("score", subtask, null, true, Duration.ofMinutes(1));
    }
    CommandOutcome set = new CommandOutcome("set", true, "", true, false);
    for (Subtask subtask : started) {
      subtask.swaps.begin("r", List.of(set));
      subtask.swaps.finish(() -> subtask.events.add("finished"));
    }
    TimeUnit.MILLISECONDS.sleep(200);
    assertThat(started).allMatch(subtask -> subtask.events.isEmpty());
    for (int subtask = 0; subtask < SUBTASKS; subtask++) {
      Subtask behind = new Subtask("translate", subtask, null, true, Duration.ofMinutes(1));
      behind.swaps.add(command("set"));
      behind.swaps.begin("r", List.of());
    }
    for (Subtask subtask : started.subList(0, SUBTASKS)) {
      subtask.await("finished");
    }
    assertThat(started.get(SUBTASKS).events).contains("uses set");
  }

  @Test
  void whatHangsIsRefusedAndDroppedWhenItIsLoadedAfterAll() throws Exception {
    Subtask one = new Subtask(0, null);
    Subtask two = new Subtask("score", 1, null, false, Duration.ofMillis(100));
    two.loading.acquire();
    for (Subtask subtask : started) {
      subtask.swaps.begin("r", List.of());
      subtask.swaps.add(command("a"));
    }
    one.await("ended a in all");
    assertThat(one.events.get(1))
        .startsWith("keeps a/a was not loaded within 100 ms in subtask 1;")
        .endsWith("control.load-timeout");
    two.await("ended a");
    assertThat(two.events).doesNotContain("dropped a");
    two.loading.release();
    two.await("dropped a");
    for (Subtask subtask : started) {
      subtask.swaps.add(command("b"));
    }
    one.await("uses b");
    two.await("uses b");
  }

  /** A thread that is left would keep the task's batches, and the classes of its job. */
  @Test
  void aCommandThatWaitsEndsWithItsTask() throws Exception {
    Subtask one = new Subtask(0, null);
    one.awaited = new CountDownLatch(1); // as for batches that never end now
    one.swaps.begin("r", List.of());
    one.swaps.add(command("a"));
    one.await("loading a");
    while (one.threads.size() < 2) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    one.swaps.close();
    one.awaitThreads();
    assertThat(one.events).containsExactly("loading a");
  }

  /** Some libraries lose interrupts. */
  @Test
  void aCommandWhoseTimeIsOverEndsWithItsTask() throws Exception {
    Subtask one = new Subtask("score", 0, null, false, Duration.ofMillis(20));
    Subtask two = new Subtask(1, null);
    one.awaited = new CountDownLatch(1);
    one.lost.set(1);
    for (Subtask subtask : started) {
      subtask.swaps.begin("r", List.of());
      subtask.swaps.add(command("a"));
    }
    one.await("ended a in all");
    while (one.lost.get() == 1) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    for (Subtask subtask : started) {
      subtask.swaps.close();
      subtask.awaitThreads();
    }
    assertThat(two.events).contains("ended a");
  }

  @Test
  void whatWaitsForOthersEndsWithItsTask() throws Exception {
    Subtask votes = new Subtask(0, null);
    votes.swaps.begin("r", List.of());
    votes.swaps.add(command("a"));
    votes.await("loading a");
    Subtask batches = new Subtask(0, null);
    batches.olderBatches = true;
    batches.swaps.begin("r", List.of());
    Subtask mails = new Subtask(0, null);
    mails.mail(() -> new CountDownLatch(1).await(), "a task that is busy");
    mails.swaps.begin("r", List.of());
    mails.swaps.add(command("a"));
    Subtask beginning = new Subtask(0, null);
    beginning.swaps.begin("another", List.of(outcome("a", true)));
    for (Subtask subtask : started) {
      subtask.swaps.close();
      subtask.awaitThreads();
    }
  }

  @Test
  void noMoreIsLoadedWhereTooMuchHangs() throws Exception {
    Subtask one = new Subtask("score", 0, null, false, Duration.ofMillis(20));
    Subtask two = new Subtask(1, null);
    one.loading.acquire();
    for (Subtask subtask : started) {
      subtask.swaps.begin("r", List.of());
      for (String id : List.of("a", "b", "c", "d")) {
        subtask.swaps.add(command(id));
      }
    }
    one.await("ended d in all");
    two.await("ended d");
    assertThat(one.events)
        .anyMatch(
            event ->
                event.startsWith("keeps d3 commands before are still being prepared in subtask 0,")
                    && event.endsWith("until one of them ends, or the job is restarted"));
    for (Subtask subtask : started) {
      subtask.loads = false; // such as a set
      subtask.swaps.add(command("e"));
    }
    one.await("uses e");
    one.loading.release();
    for (String id : List.of("a", "b", "c")) {
      one.await("dropped " + id);
    }
  }

  @Test
  void allGroupsDecideTogetherWhereACommandIsForAll() throws Exception {
    Subtask one = new Subtask("score", 0, null, true, Duration.ofMinutes(1));
    Subtask two = new Subtask("score", 1, null, true, Duration.ofMinutes(1));
    Subtask other = new Subtask("translate", 0, null, true, Duration.ofMinutes(1));
    for (Subtask subtask : started) {
      subtask.swaps.begin("r", List.of());
      subtask.swaps.add(command("a"));
    }
    other.await("loading a");
    TimeUnit.MILLISECONDS.sleep(200);
    assertThat(started).noneMatch(subtask -> subtask.events.contains("uses a"));
    Subtask last = new Subtask("translate", 1, null, true, Duration.ofMinutes(1));
    last.swaps.begin("r", List.of());
    last.swaps.add(command("a"));
    one.await("ended a in all");
    two.await("ended a");
    other.await("ended a");
    last.await("ended a");
    assertThat(other.events).containsExactly("loading a", "uses a", "closed old", "ended a");
  }
}
