package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.StageReference;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IndexSwapsTest {
  private static final int SUBTASKS = 2;

  private final Master master = new Master();
  private final List<Subtask> started = new ArrayList<>();

  /** As the job master does it. */
  static final class Master implements GlobalAggregateManager {
    private final Map<String, Object> all = new HashMap<>();

    @Override
    @SuppressWarnings("unchecked")
    public synchronized <IN, ACC, OUT> OUT updateGlobalAggregate(
        String name, Object value, AggregateFunction<IN, ACC, OUT> function) {
      ACC before = (ACC) all.get(name);
      ACC now = function.add((IN) value, before == null ? function.createAccumulator() : before);
      all.put(name, now);
      return function.getResult(now);
    }
  }

  /** A subtask with its task's thread, and what it did. */
  private final class Subtask implements IndexSwaps.Task, SwappableStages {
    private final List<String> events = Collections.synchronizedList(new ArrayList<>());
    private final ExecutorService task = Executors.newSingleThreadExecutor();
    private final IndexSwaps swaps;
    private volatile Map<String, IndexRef> inUse;

    /** Why it cannot load an index; null if it can. */
    private final String problem;

    Subtask(int number, String problem) {
      this.problem = problem;
      inUse = Map.of("score", index("old"));
      swaps =
          new IndexSwaps(
              this, this, new SwapVotes("score", number, master), number, SUBTASKS, Thread::new);
      started.add(this);
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
    public Map<String, IndexRef> inUse() {
      return inUse;
    }

    @Override
    public void loading(ControlCommand command) {
      events.add("loading " + command.getId());
    }

    @Override
    public Prepared decided(ControlCommand command, Prepared loaded, String reason) {
      events.add((loaded == null ? "keeps" : "uses") + " " + command.getId() + reason);
      if (loaded != null) {
        inUse = Map.of("score", IndexState.fromAvro(command.getSwap().getReference()));
      }
      return loaded == null ? null : () -> events.add("closed old");
    }

    @Override
    public void ended(ControlCommand command, String reason) {
      events.add("ended " + command.getId());
    }

    @Override
    public void open(Map<String, IndexRef> indexes) {
      throw new AssertionError("stages are open");
    }

    @Override
    public Prepared prepare(String stage, IndexRef index) {
      if (problem != null) {
        throw new OperatorException(problem);
      }
      return () -> events.add("dropped " + index.uri().getPath());
    }

    @Override
    public Prepared use(Prepared prepared) {
      throw new AssertionError("the gatherer does it");
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

  private static IndexRef index(String name) {
    String sha256 = String.format("%064x", name.hashCode());
    return new IndexRef("language-model", URI.create("file:/" + name), sha256, "");
  }

  private static ControlCommand command(String id) {
    IndexReference reference = IndexState.toAvro(index(id));
    return ControlCommand.newBuilder()
        .setId(id)
        .setJob("job")
        .setTime(Instant.EPOCH)
        .setSwap(new StageReference("score", reference, 0L, 0L))
        .build();
  }

  @Test
  void allUseWhatAllHaveLoaded() throws Exception {
    Subtask one = new Subtask(0, null);
    Subtask two = new Subtask(1, null);
    one.swaps.begin("r", "", false);
    one.swaps.add(command("a"));
    one.await("loading a");
    TimeUnit.MILLISECONDS.sleep(200);
    assertThat(one.events).containsExactly("loading a"); // the other one has not voted
    two.swaps.add(command("a")); // before the round: it waits
    two.swaps.add(command("b"));
    two.swaps.begin("r", "", false);
    one.swaps.add(command("b"));
    one.await("ended b");
    two.await("ended b");
    assertThat(one.events)
        .containsExactly(
            "loading a",
            "uses a",
            "closed old",
            "ended a",
            "loading b",
            "uses b",
            "closed old",
            "ended b");
    assertThat(two.events).containsExactlyElementsOf(one.events);
  }

  @Test
  void noneUsesWhatOneCannotLoad() throws Exception {
    Subtask one = new Subtask(0, null);
    Subtask two = new Subtask(1, "too little memory");
    for (Subtask subtask : started) {
      subtask.swaps.begin("r", "", false);
      subtask.swaps.add(command("a"));
    }
    one.await("ended a");
    two.await("ended a");
    assertThat(one.events)
        .containsExactly("loading a", "keeps atoo little memory", "dropped /a", "ended a");
    assertThat(two.events).containsExactly("loading a", "keeps atoo little memory", "ended a");
  }

  /** A checkpoint came between the two; only one of them has it in its state. */
  @Test
  void aSubtaskFollowsOneThatHadSwitchedBeforeARestore() throws Exception {
    Subtask one = new Subtask(0, null);
    one.swaps.add(command("a")); // it has not told the end
    one.swaps.begin("r", "a", true);
    Subtask two = new Subtask(1, null);
    two.swaps.add(command("a"));
    two.swaps.begin("r", "", false);
    one.await("ended a");
    two.await("ended a");
    assertThat(one.events).containsExactly("ended a");
    assertThat(two.events).containsExactly("loading a", "uses a", "closed old", "ended a");
  }

  @Test
  void aSubtaskThatCannotFollowFails() throws Exception {
    Subtask one = new Subtask(0, null);
    one.swaps.begin("r", "a", true);
    Subtask two = new Subtask(1, "no such file");
    two.swaps.begin("r", "", false);
    two.swaps.add(command("a"));
    while (two.events.size() < 2) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    assertThat(two.events.get(1))
        .startsWith("failed: ")
        .contains("other subtasks use an index that cannot be loaded here: no such file");
  }

  @Test
  void aSubtaskKeepsWhatAnotherHadRefusedBeforeARestore() throws Exception {
    Subtask one = new Subtask(0, null);
    one.swaps.begin("r", "a", false);
    Subtask two = new Subtask(1, null);
    two.swaps.begin("r", "", false);
    two.swaps.add(command("a"));
    two.await("ended a");
    assertThat(two.events)
        .containsExactly(
            "loading a", "keeps arefused before the job's restart", "dropped /a", "ended a");
  }

  /** What was loaded in an earlier round may not be loaded any more. */
  @Test
  void votesOfAnEarlierRoundDoNotCount() throws Exception {
    Subtask before = new Subtask(1, null);
    before.swaps.begin("r1", "", false);
    before.swaps.add(command("a"));
    before.await("loading a");
    Subtask one = new Subtask(0, null);
    one.swaps.begin("r2", "", false);
    one.swaps.add(command("a"));
    one.await("loading a");
    TimeUnit.MILLISECONDS.sleep(300);
    assertThat(one.events).containsExactly("loading a");
  }

  @Test
  void aSubtaskWithoutInputRefuses() throws Exception {
    Subtask one = new Subtask(0, null);
    Subtask two = new Subtask(1, null);
    two.swaps.finish();
    for (Subtask subtask : started) {
      subtask.swaps.begin("r", "", false);
      subtask.swaps.add(command("a"));
    }
    one.await("keeps athe input of subtask 1 has ended");
  }
}
