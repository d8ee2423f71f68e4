package io.latimer.pipelines.flink.control;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.flink.control.CommandVotes.State;
import io.latimer.pipelines.flink.control.CommandVotes.Vote;
import io.latimer.pipelines.flink.control.CommandVotes.Votes;
import io.latimer.schemas.CommandOutcome;
import io.latimer.schemas.ControlCommand;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.apache.flink.util.function.ThrowingRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes commands in a subtask of a group. Each is prepared in a separate thread; then this
 * agrees with the other subtasks whether it takes effect in all of them or in none.
 *
 * <p>Subtasks ask the job master only at their start and while a command is under way, and then
 * less and less often: an idle job costs it nothing.
 *
 * <p>Commands are executed one at a time, in stream order; a subtask starts the next one once all
 * subtasks are done with the previous one.
 *
 * <p>Subtasks take their snapshots of a checkpoint at different times and may execute many commands
 * in between, so a restored subtask may lag behind others by several commands. All of them have
 * received the same commands before the barrier, so if a command is pending in one subtask and
 * decided in another, the latter remembers the outcome. When a round begins, each subtask publishes
 * in one step its outcomes and its pending commands. Once all have begun, those that lag catch up
 * in the same order, and the commands that are pending everywhere are decided by vote.
 *
 * <p>A subtask whose input has ended finishes only when all others have executed the commands that
 * it knows, so a checkpoint taken after that has nothing that needs its vote.
 */
final class GroupCommands implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GroupCommands.class);

  private static final long POLL_MILLIS = 50;

  private static final String BEFORE_RESTART = "refused before the job's restart";

  /** The gatherer's part in executing commands. It is notified in the task's thread. */
  interface Task {
    /** Adds a mail to the task's mailbox. */
    void mail(ThrowingRunnable<Exception> mail, String description);

    /** The kind of a command that was added. */
    CommandKind kind(ControlCommand command);

    /**
     * Whether batches are in flight that need pairs which are retired. Any thread may call this.
     */
    boolean hasOlderBatches();

    /** Called when the subtask begins to prepare a command. */
    void preparing(ControlCommand command);

    /**
     * Called when a command is decided.
     *
     * @param change to apply to later batches; null if the command is refused
     * @param reason why it is refused; otherwise empty
     * @return clean-up to run afterwards, not in the task's thread
     */
    Runnable decided(ControlCommand command, CommandKind.Change change, String reason)
        throws Exception;

    /**
     * Called when this subtask is done with a command. If it reports the end, all others know the
     * decision.
     *
     * @param tells whether this subtask reports the end of the command
     * @param reason why it was refused; otherwise empty
     */
    void ended(ControlCommand command, boolean tells, String reason);

    /** Called when a command has ended in all subtasks. */
    void endedInAll(String command);
  }

  /**
   * The position of a subtask in the job.
   *
   * @param groups all of the job that take commands, each by the name of its first stage, in the
   *     order in which records pass them
   * @param group that of the subtask
   */
  record Place(List<String> groups, String group, int subtask, int subtasks) {
    Place {
      groups = List.copyOf(groups);
    }

    /** Whether the subtask reports the end of commands. */
    boolean tells(boolean ofAllGroups) {
      return subtask == 0 && (!ofAllGroups || group.equals(groups.get(0)));
    }

    private List<String> deciding(boolean ofAllGroups) {
      return ofAllGroups ? groups : List.of(group);
    }

    /**
     * The deciding groups from this one on, whose input cannot end before the input of this one.
     */
    private List<String> notBefore(boolean ofAllGroups) {
      return ofAllGroups ? groups.subList(groups.indexOf(group), groups.size()) : List.of(group);
    }
  }

  private final Task gatherer;
  private final Place place;
  private final CommandVotes votes;
  private final EndedCommands ended;
  private final Preparation preparation;
  private final PollPauses.Sleep sleep;
  private final ExecutorService loader;
  private final Queue<ControlCommand> waiting = new ArrayDeque<>();
  private String round; // its name; null before it has begun
  private volatile boolean closed;

  /**
   * Creates the commands of a subtask.
   *
   * @param limit maximum time to prepare a command
   */
  GroupCommands(
      Task gatherer,
      Place place,
      GlobalAggregateManager master,
      Duration limit,
      ThreadFactory threads) {
    this(gatherer, place, master, limit, threads, TimeUnit.MILLISECONDS::sleep);
  }

  /**
   * Creates the commands of a subtask.
   *
   * @param sleep waits between two requests to the job master
   */
  GroupCommands(
      Task gatherer,
      Place place,
      GlobalAggregateManager master,
      Duration limit,
      ThreadFactory threads,
      PollPauses.Sleep sleep) {
    this.sleep = sleep;
    this.gatherer = gatherer;
    this.place = place;
    this.votes = new CommandVotes(place.groups, place.group, place.subtask, place.subtasks, master);
    this.ended = new EndedCommands(master);
    this.preparation = new Preparation(place.subtask, limit, threads);
    this.loader = Executors.newSingleThreadExecutor(threads);
  }

  /**
   * Begins the round and with it the execution of commands; later calls do nothing. Commands added
   * before this call are those of the state.
   *
   * @param outcomes the outcomes of the latest commands before, in order
   */
  void begin(String round, List<CommandOutcome> outcomes) {
    if (this.round != null) {
      return;
    }
    this.round = round;
    Set<String> pending = new HashSet<>();
    waiting.forEach(command -> pending.add(command.getId()));
    Map<String, Vote> decided = new HashMap<>();
    Map<String, Vote> known = new LinkedHashMap<>();
    for (CommandOutcome outcome : outcomes) {
      String id = outcome.getCommand();
      Vote vote = vote(outcome);
      decided.put(id, vote);
      known.put(id, pending.contains(id) ? vote : vote.end());
    }
    pending.forEach(id -> known.putIfAbsent(id, Vote.PENDING));
    run(
        () -> {
          awaitOlderBatches();
          retried(() -> votes.begin(round, known));
        });
    for (CommandOutcome outcome : outcomes) {
      String id = outcome.getCommand();
      if (!outcome.getEnded() && !pending.contains(id)) {
        run(
            () -> {
              awaitBegun(outcome.getOfAllGroups());
              awaitEnd(id, decided.get(id), Votes::ended);
            });
      }
    }
    for (ControlCommand command : waiting) {
      run(
          () -> {
            awaitBegun(gatherer.kind(command).ofAllGroups());
            carryOut(command, decided.get(command.getId()), all -> !all.have(State.PENDING));
          });
    }
    waiting.clear();
  }

  /** Whether the round has begun. */
  boolean haveBegun() {
    return round != null;
  }

  private static Vote vote(CommandOutcome outcome) {
    if (outcome.getCommitted()) {
      return Vote.APPLIED;
    }
    return Vote.dropped(outcome.getReason().isEmpty() ? BEFORE_RESTART : outcome.getReason());
  }

  /** Queues a command for execution. */
  void add(ControlCommand command) {
    if (round == null) {
      waiting.add(command);
    } else {
      List<String> deciding = place.deciding(gatherer.kind(command).ofAllGroups());
      run(() -> carryOut(command, null, all -> all.complete(deciding) && !all.have(State.PENDING)));
    }
  }

  /**
   * Refuses the command that is being prepared, unless others have applied it: this subtask has no
   * more batches, but others may wait for its vote.
   *
   * @param done called in the task's thread once all commands so far have ended in all subtasks
   */
  void finish(Runnable done) {
    preparation.endInput();
    run(() -> mail(done::run));
  }

  private interface Work {
    void run() throws Exception;
  }

  private void run(Work work) {
    loader.execute(
        () -> {
          try {
            work.run();
          } catch (Preparation.EndedException
              | InterruptedException
              | RejectedExecutionException e) {
            LOG.debug("commands end with their task", e);
          } catch (
              Throwable e) { // also errors: the task must fail, or commands would stop silently
            fail(e);
          }
        });
  }

  private void fail(Throwable reason) {
    try {
      gatherer.mail(
          () -> {
            throw new OperatorException("a command failed: " + reason, reason);
          },
          "failed command");
    } catch (RejectedExecutionException e) {
      LOG.debug("a command failed as its task ended", reason);
    }
  }

  /**
   * Executes a command.
   *
   * @param before the decision from before a restore; null if this subtask does not know it
   * @param complete whether all deciding subtasks have voted
   */
  private void carryOut(ControlCommand command, Vote before, Predicate<Votes> complete)
      throws Exception {
    String id = command.getId();
    CommandKind kind = gatherer.kind(command);
    boolean tells = place.tells(kind.ofAllGroups());
    Vote decided = before == null ? decide(kind, command, complete) : before;
    if (tells) {
      await(id, decided, complete.and(Votes::decided));
    }
    mail(() -> gatherer.ended(command, tells, decided.reason()));
    if (tells) {
      retried(
          () -> {
            ended.add(id);
            return null;
          });
    }
    awaitEnd(id, decided, complete.and(Votes::ended));
  }

  /**
   * Waits until no batch needs pairs that were retired before the restore: a subtask that lags
   * drops them once it has caught up, and by then no other subtask may need them.
   */
  private void awaitOlderBatches() throws InterruptedException {
    while (gatherer.hasOlderBatches()) {
      sleep.sleep(POLL_MILLIS); // a local check, so it may be frequent
    }
  }

  /**
   * Waits until all subtasks have begun the round. A group that had finished before the restore
   * never begins. It is upstream, so the input of this one ends as well; after that, upstream
   * groups are no longer waited for.
   */
  private void awaitBegun(boolean ofAllGroups) throws InterruptedException {
    PollPauses pauses = new PollPauses(sleep);
    while (true) {
      boolean inputEnded = preparation.isInputEnded(); // read first: a later vote may still count
      List<String> awaited =
          inputEnded ? place.notBefore(ofAllGroups) : place.deciding(ofAllGroups);
      if (retried(() -> votes.begin(round, Map.of())).complete(awaited)) {
        return;
      }
      pauses.pause();
    }
  }

  private void awaitEnd(String command, Vote decided, Predicate<Votes> ended)
      throws InterruptedException {
    await(command, decided.end(), ended);
    mail(() -> gatherer.endedInAll(command));
  }

  private Vote decide(CommandKind kind, ControlCommand command, Predicate<Votes> complete)
      throws Exception {
    mail(() -> gatherer.preparing(command));
    boolean follows = vote(command.getId(), Vote.PENDING).have(State.APPLIED);
    CommandKind.Change prepared = null;
    Vote vote = Vote.PREPARED;
    try {
      prepared = preparation.prepare(kind, command, follows);
    } catch (InterruptedException | Preparation.EndedException e) {
      throw e;
    } catch (Throwable e) { // also errors, such as out of memory
      vote = Vote.refused(reason(e));
      LOG.warn("command {}: {}", command.getId(), vote.reason(), e);
    }
    String refusal = await(command.getId(), vote, complete).refusal();
    if (refusal.isEmpty() && prepared == null) {
      throw new OperatorException(
          "other subtasks have carried out command "
              + command.getId()
              + " ("
              + kind.what(command)
              + "), which cannot be carried out here: "
              + vote.reason());
    }
    CommandKind.Change change = refusal.isEmpty() ? prepared : null;
    Runnable[] then = {refusal.isEmpty() || prepared == null ? () -> {} : prepared::close};
    mail(
        () -> {
          Runnable next = gatherer.decided(command, change, refusal);
          then[0] = change == null ? then[0] : next;
        });
    Vote decided = refusal.isEmpty() ? Vote.APPLIED : Vote.dropped(refusal);
    vote(command.getId(), decided);
    then[0].run();
    return decided;
  }

  private static String reason(Throwable e) {
    String text =
        e instanceof OperatorException && e.getMessage() != null && !e.getMessage().isBlank()
            ? e.getMessage()
            : e + "";
    return CommandVotes.cut(text);
  }

  /** Runs work in the task's thread and waits until it is done. */
  private void mail(ThrowingRunnable<Exception> work) throws InterruptedException {
    requireOpen(); // an interrupt may get lost, but close sets the flag before it
    CountDownLatch done = new CountDownLatch(1);
    gatherer.mail(
        () -> {
          if (!closed) {
            work.run();
          }
          done.countDown();
        },
        "command");
    done.await();
  }

  /** Repeats a vote until all votes meet a condition. */
  private Votes await(String command, Vote vote, Predicate<Votes> awaited)
      throws InterruptedException {
    PollPauses pauses = new PollPauses(sleep);
    while (true) {
      Votes all = vote(command, vote);
      if (awaited.test(all)) {
        return all;
      }
      pauses.pause();
    }
  }

  private Votes vote(String command, Vote vote) throws InterruptedException {
    return retried(() -> votes.vote(round, command, vote));
  }

  private <T> T retried(Callable<T> vote) throws InterruptedException {
    PollPauses pauses = new PollPauses(sleep);
    while (true) {
      requireOpen();
      try {
        return vote.call();
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        requireOpen(); // Flink wraps an interrupt
        LOG.warn("the job master did not count a vote on a command; it is sent again", e);
        pauses.pause();
      }
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new Preparation.EndedException();
    }
  }

  /**
   * Ends the threads without waiting for them. Those that wait end at once; one that is loading
   * ends when it is done.
   */
  @Override
  public void close() {
    closed = true; // before the interrupts, which may look like failures of commands
    preparation.close();
    loader.shutdownNow();
  }
}
