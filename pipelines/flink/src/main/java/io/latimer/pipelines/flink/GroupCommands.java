package io.latimer.pipelines.flink;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.flink.CommandVotes.State;
import io.latimer.pipelines.flink.CommandVotes.Vote;
import io.latimer.pipelines.flink.CommandVotes.Votes;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.apache.flink.util.function.ThrowingRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out commands in a subtask of a group: prepares them in threads of its own, and agrees
 * with the other subtasks whether they take effect: in all of them or in none.
 *
 * <p>One command is carried out after the other, in the order of the stream, and a subtask begins
 * the next one when all have carried out the one before.
 *
 * <p>The subtasks take their snapshots of a checkpoint at different times, and may carry out many
 * commands in between, so a restored subtask may lag behind others by more than one. The commands
 * that came before the barrier are the same for all: a subtask knows what was decided on a command
 * that another one has pending, if it remembers enough outcomes. When a round begins, each tells in
 * one step what it remembers, and which commands it has pending. Once all have begun, a subtask
 * that lags follows the others in the same order, and the pending commands on which nothing was
 * decided are decided by the subtasks that have them.
 *
 * <p>A subtask whose input has ended finishes only when all others have carried out the commands
 * that it knows: in a checkpoint without it, nothing has to wait for its vote.
 */
final class GroupCommands implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GroupCommands.class);

  /** Threads that hang while they load something: each may have memory. */
  private static final int MAX_HANGING = 3;

  private static final long POLL_MILLIS = 50;

  private static final String BEFORE_RESTART = "refused before the job's restart";

  /** What a gatherer does for a command, in its task's thread, to which it passes mails. */
  interface Task {
    /** Runs something in the task's thread. */
    void mail(ThrowingRunnable<Exception> mail, String description);

    /** The kind of a command that was added. */
    CommandKind kind(ControlCommand command);

    /**
     * Whether restored batches are in flight that need what later batches cannot have any more. In
     * any thread.
     */
    boolean hasOlderBatches();

    /** The subtask begins to prepare a command. */
    void preparing(ControlCommand command);

    /**
     * A command is decided.
     *
     * @param change applies to later batches; null if the command is refused
     * @param reason why it is refused; otherwise empty
     * @return what is to be done then, not in the task's thread
     */
    Runnable decided(ControlCommand command, CommandKind.Change change, String reason)
        throws Exception;

    /**
     * A command has been carried out in this subtask; in all, if it is the one that tells it.
     *
     * @param tells whether this subtask tells that the command has ended
     * @param reason why it was refused; otherwise empty
     */
    void ended(ControlCommand command, boolean tells, String reason);

    /** All subtasks have carried out a command, which ended here before. */
    void endedInAll(String command);
  }

  /**
   * The place of a subtask.
   *
   * @param groups all of the job that take commands, each by the name of its first stage, in the
   *     order in which records pass them
   * @param group that of the subtask
   */
  record Place(List<String> groups, String group, int subtask, int subtasks) {
    Place {
      groups = List.copyOf(groups);
    }

    /** Whether the subtask tells the end of commands. */
    boolean tells(boolean ofAllGroups) {
      return subtask == 0 && (!ofAllGroups || group.equals(groups.get(0)));
    }

    private List<String> deciding(boolean ofAllGroups) {
      return ofAllGroups ? groups : List.of(group);
    }

    /** Those of the groups that decide whose input can end no earlier than that of this one. */
    private List<String> notBefore(boolean ofAllGroups) {
      return ofAllGroups ? groups.subList(groups.indexOf(group), groups.size()) : List.of(group);
    }
  }

  /** A failure of the vote that the end of the task explains. */
  private static final class EndedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private final Task gatherer;
  private final Place place;
  private final CommandVotes votes;
  private final EndedCommands ended;
  private final Duration limit;
  private final PollPauses.Sleep sleep;
  private final TaskThreads preparers;
  private final ExecutorService loader;
  private final Queue<ControlCommand> waiting = new ArrayDeque<>(); // for the round
  private final AtomicInteger hanging = new AtomicInteger();
  private String round;
  private volatile CompletableFuture<CommandKind.Change> preparing = new CompletableFuture<>();

  /** Whether others have carried out what is being prepared. Set before it is. */
  private volatile boolean follows;

  private volatile boolean finished;
  private volatile boolean closed;

  /**
   * Makes the commands of a subtask.
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
   * Makes the commands of a subtask.
   *
   * @param sleep waits between two questions to the job master
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
    this.limit = limit;
    this.preparers = new TaskThreads(threads);
    this.loader = Executors.newSingleThreadExecutor(threads);
  }

  /**
   * Begins the round, in which commands are carried out; later calls do nothing. The commands that
   * were added before are those of the state.
   *
   * @param outcomes what was decided on the last commands before, in order
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

  /** Carries out a command, after those before it. */
  void add(ControlCommand command) {
    if (round == null) {
      waiting.add(command);
    } else {
      List<String> deciding = place.deciding(gatherer.kind(command).ofAllGroups());
      run(() -> carryOut(command, null, all -> all.complete(deciding) && !all.have(State.PENDING)));
    }
  }

  /**
   * Refuses what is not prepared yet, unless others have carried it out: this subtask has no more
   * batches, but others may wait.
   *
   * @param done called in the task's thread once all subtasks have carried out the commands so far
   */
  void finish(Runnable done) {
    finished = true;
    CompletableFuture<CommandKind.Change> change = preparing;
    if (!follows) {
      change.completeExceptionally(inputEnded());
    }
    run(() -> mail(done::run));
  }

  private OperatorException inputEnded() {
    return new OperatorException("the input of subtask " + place.subtask() + " has ended");
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
            LOG.debug("commands end with their task", e);
          } catch (
              Throwable e) { // errors, too: the task must be told, or commands would stop silently
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
   * Carries out a command.
   *
   * @param before what was decided before a restore; null if it is not known here
   * @param complete whether all that decide have voted
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
   * Waits until no batch needs what was retired before the restore: a subtask that lags behind
   * drops it once it has followed, and must know by then that none of the others needs it.
   */
  private void awaitOlderBatches() throws InterruptedException {
    while (gatherer.hasOlderBatches()) {
      sleep.sleep(POLL_MILLIS); // asks nobody else, so it may ask often
    }
  }

  /**
   * Waits until all subtasks have told what they know from before. Groups that had finished before
   * the restore never do. They are before this one in the stream, so the input here ends then, and
   * groups that it comes from have told it by then, or never will.
   */
  private void awaitBegun(boolean ofAllGroups) throws InterruptedException {
    PollPauses pauses = new PollPauses(sleep);
    while (true) {
      boolean inputEnded = finished; // before asking: what is told later may count
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
    follows = vote(command.getId(), Vote.PENDING).have(State.APPLIED);
    CommandKind.Change prepared = null;
    Vote vote = Vote.PREPARED;
    try {
      prepared = prepare(kind, command);
    } catch (InterruptedException | EndedException e) {
      throw e;
    } catch (Throwable e) { // errors, too, such as too little memory
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

  /** Prepares a command for a limited time; what is prepared later is closed. */
  private CommandKind.Change prepare(CommandKind kind, ControlCommand command)
      throws InterruptedException {
    if (kind.loads() && hanging.get() >= MAX_HANGING) {
      throw new OperatorException(
          MAX_HANGING
              + " commands before are still being prepared in subtask "
              + place.subtask()
              + ", although their time is over; nothing more is loaded until one of them ends, or"
              + " the job is restarted");
    }
    CompletableFuture<CommandKind.Change> prepared = new CompletableFuture<>();
    preparing = prepared;
    if (finished && !follows) {
      throw inputEnded();
    }
    AtomicInteger running = hanging;
    running.incrementAndGet();
    Thread thread =
        preparers.start(
            () -> {
              try {
                CommandKind.Change change = kind.prepare(command);
                if (!prepared.complete(change)) {
                  change.close();
                }
              } catch (Throwable e) { // errors, too, such as too little memory
                prepared.completeExceptionally(e);
              } finally {
                running.decrementAndGet();
              }
            });
    try {
      return prepared.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      OperatorException late =
          new OperatorException(
              kind.what(command)
                  + " was not loaded within "
                  + limit.toMillis()
                  + " ms in subtask "
                  + place.subtask()
                  + "; if it only needs longer, raise control.load-timeout",
              e);
      if (prepared.completeExceptionally(late)) {
        thread.interrupt();
        throw late;
      }
      return prepared.join();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new OperatorException(e.getCause().toString(), e.getCause());
    }
  }

  private static String reason(Throwable e) {
    String text =
        e instanceof OperatorException && e.getMessage() != null && !e.getMessage().isBlank()
            ? e.getMessage()
            : e + "";
    return CommandVotes.cut(text);
  }

  /** Does something in the task's thread, and waits for it. */
  private void mail(ThrowingRunnable<Exception> work) throws InterruptedException {
    requireOpen(); // an interrupt may be lost, but comes after that
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

  /** Votes again and again, until all votes are as awaited. */
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
      throw new EndedException();
    }
  }

  /**
   * Ends the threads. One that waits ends at once, also one whose time is over; one that loads
   * something ends when that is done, which is not waited for.
   */
  @Override
  public void close() {
    closed = true; // before the interrupts, which may be taken for failures of what they end
    preparing.completeExceptionally(new EndedException());
    preparers.close();
    loader.shutdownNow();
  }
}
