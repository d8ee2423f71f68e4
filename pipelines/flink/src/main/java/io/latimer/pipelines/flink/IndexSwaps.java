package io.latimer.pipelines.flink;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.StageReference;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.flink.util.function.ThrowingRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads indexes in a thread of its own, and agrees with the other subtasks of its group whether to
 * use them: all of them or none.
 *
 * <p>One command is carried out after the other, in the order of the stream. A subtask votes for
 * the next one only after it has carried out those before, so the subtasks are never more than one
 * decision apart. A checkpoint can come between the switches of two subtasks. After a restore, the
 * one that has switched votes for that, and the other one follows.
 */
final class IndexSwaps implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IndexSwaps.class);

  private static final long POLL_MILLIS = 50;

  /** Longer reasons are cut: every subtask is sent those of all. */
  private static final int MAX_REASON = 1_000;

  /** What a gatherer does for a swap, in its task's thread, to which it passes mails. */
  interface Task {
    /** Runs something in the task's thread. */
    void mail(ThrowingRunnable<Exception> mail, String description);

    /** The indexes in use. */
    Map<String, IndexRef> inUse();

    /** The subtask begins to load an index. */
    void loading(ControlCommand command);

    /**
     * A swap is decided.
     *
     * @param loaded what later batches use; null if the swap is refused
     * @param reason why it is refused; otherwise empty
     * @return what is to be closed
     */
    SwappableStages.Prepared decided(
        ControlCommand command, SwappableStages.Prepared loaded, String reason) throws Exception;

    /**
     * A command has been carried out; for subtask 0, by all subtasks.
     *
     * @param reason why it was refused; otherwise empty
     */
    void ended(ControlCommand command, String reason);
  }

  /** A failure of the vote that the end of the task explains. */
  private static final class EndedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private final Task gatherer;
  private final SwappableStages stages;
  private final SwapVotes votes;
  private final int subtask;
  private final int subtasks;
  private final ExecutorService loader;
  private final Queue<ControlCommand> waiting = new ArrayDeque<>(); // for the round
  private String round;
  private volatile boolean finished;
  private volatile boolean closed;

  IndexSwaps(
      Task gatherer,
      SwappableStages stages,
      SwapVotes votes,
      int subtask,
      int subtasks,
      ThreadFactory threads) {
    this.gatherer = gatherer;
    this.stages = stages;
    this.votes = votes;
    this.subtask = subtask;
    this.subtasks = subtasks;
    this.loader = Executors.newSingleThreadExecutor(threads);
  }

  /**
   * Begins the round, in which commands are carried out; later calls do nothing.
   *
   * @param decided id of the last command that was decided before; empty if there was none
   * @param committed whether it was carried out
   */
  void begin(String round, String decided, boolean committed) {
    if (this.round != null) {
      return;
    }
    this.round = round;
    if (!decided.isEmpty()) {
      String vote =
          committed ? SwapVotes.IN_USE : SwapVotes.REFUSED + "refused before the job's restart";
      run(() -> vote(decided, vote));
    }
    waiting.forEach(command -> run(() -> carryOut(command, decided, committed)));
    waiting.clear();
  }

  /** Carries out a command, after those before it. */
  void add(ControlCommand command) {
    if (round == null) {
      waiting.add(command);
    } else {
      run(() -> carryOut(command, "", false));
    }
  }

  /** Refuses what is not loaded yet: this subtask has no more batches, but others may wait. */
  void finish() {
    finished = true;
  }

  private interface Work {
    void run() throws Exception;
  }

  private void run(Work work) {
    loader.execute(
        () -> {
          try {
            work.run();
          } catch (EndedException | InterruptedException | RejectedExecutionException e) {
            LOG.debug("swaps end with their task", e);
          } catch (
              Throwable e) { // errors, too: the task must be told, or swaps would stop silently
            fail(e);
          }
        });
  }

  private void fail(Throwable reason) {
    try {
      gatherer.mail(
          () -> {
            throw new OperatorException("a swap failed: " + reason, reason);
          },
          "failed swap");
    } catch (RejectedExecutionException e) {
      LOG.debug("a swap failed as its task ended", reason);
    }
  }

  private void carryOut(ControlCommand command, String decided, boolean committed)
      throws Exception {
    String id = command.getId();
    String refusal = committed ? "" : "refused before the job's restart";
    if (!id.equals(decided)) {
      refusal = swap(command);
    }
    if (subtask == 0 && refusal.isEmpty()) {
      awaitVotes(id, SwapVotes.IN_USE, SwapVotes.IN_USE::equals);
    }
    String reason = refusal;
    mail(() -> gatherer.ended(command, reason));
  }

  /** Returns why it was refused; empty if it was carried out. */
  private String swap(ControlCommand command) throws Exception {
    mail(() -> gatherer.loading(command));
    SwappableStages.Prepared loaded = null;
    String problem = "";
    try {
      loaded = load(command);
    } catch (Throwable e) { // errors, too, such as too little memory
      problem = reason(e);
      LOG.warn("stage {}: {}", command.getSwap().getStage(), problem, e);
    }
    String vote = loaded != null ? SwapVotes.LOADED : SwapVotes.REFUSED + problem;
    Collection<String> all = awaitVotes(command.getId(), vote, any -> true).values();
    String refusal = all.contains(SwapVotes.IN_USE) ? "" : refusal(all);
    if (refusal.isEmpty() && loaded == null) {
      throw new OperatorException(
          "stage "
              + command.getSwap().getStage()
              + ": other subtasks use an index that cannot be loaded here: "
              + problem);
    }
    SwappableStages.Prepared next = refusal.isEmpty() ? loaded : null;
    SwappableStages.Prepared[] old = {refusal.isEmpty() ? null : loaded};
    mail(
        () -> {
          SwappableStages.Prepared before = gatherer.decided(command, next, refusal);
          old[0] = before == null ? old[0] : before;
        });
    if (refusal.isEmpty()) {
      vote(command.getId(), SwapVotes.IN_USE);
    }
    if (old[0] != null) {
      old[0].close();
    }
    return refusal;
  }

  /** Why subtasks refuse a swap; empty if none does. */
  private static String refusal(Collection<String> votes) {
    return votes.stream()
        .filter(vote -> vote.startsWith(SwapVotes.REFUSED))
        .map(vote -> vote.substring(SwapVotes.REFUSED.length()))
        .distinct()
        .collect(Collectors.joining("; "));
  }

  private SwappableStages.Prepared load(ControlCommand command) {
    if (finished) {
      throw new OperatorException("the input of subtask " + subtask + " has ended");
    }
    StageReference swap = command.getSwap();
    IndexRef index = IndexState.fromAvro(swap.getReference());
    IndexRef now = gatherer.inUse().get(swap.getStage());
    if (now.uri().equals(index.uri()) && !now.sha256().equals(index.sha256())) {
      throw new OperatorException(
          index.location()
              + " is in use with other content, which batches may need again after a failure; give"
              + " the new file a name of its own");
    }
    return stages.prepare(swap.getStage(), index);
  }

  private static String reason(Throwable e) {
    String text =
        e instanceof OperatorException && e.getMessage() != null ? e.getMessage() : e + "";
    return text.length() <= MAX_REASON ? text : text.substring(0, MAX_REASON) + "...";
  }

  /** Does something in the task's thread, and waits for it. */
  private void mail(ThrowingRunnable<Exception> work) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    gatherer.mail(
        () -> {
          if (!closed) {
            work.run();
          }
          done.countDown();
        },
        "index swap");
    done.await();
  }

  /** Votes, and waits until all subtasks have, in a way that is waited for. */
  private Map<Integer, String> awaitVotes(String command, String vote, Predicate<String> awaited)
      throws InterruptedException {
    while (true) {
      Map<Integer, String> all = vote(command, vote);
      if (all.size() == subtasks && all.values().stream().allMatch(awaited)) {
        return all;
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  private Map<Integer, String> vote(String command, String vote) throws InterruptedException {
    while (true) {
      if (closed) {
        throw new EndedException();
      }
      try {
        return votes.vote(round, command, vote);
      } catch (IOException | RuntimeException e) {
        LOG.warn("the job master did not count a vote on a swap; it is sent again", e);
        TimeUnit.MILLISECONDS.sleep(20 * POLL_MILLIS);
      }
    }
  }

  /** Ends the thread; does not wait for an index that is being loaded. */
  @Override
  public void close() {
    closed = true;
    loader.shutdownNow();
  }
}
