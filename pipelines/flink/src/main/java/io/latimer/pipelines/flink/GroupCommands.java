package io.latimer.pipelines.flink;

import io.latimer.operators.OperatorException;
import io.latimer.pipelines.flink.CommandVotes.Vote;
import io.latimer.pipelines.flink.CommandVotes.Votes;
import io.latimer.schemas.ControlCommand;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
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
 * <p>One command is carried out after the other, in the order of the stream. A subtask votes for
 * the next one only after it has carried out those before, so the subtasks are never more than one
 * decision apart. A checkpoint can come between the changes of two subtasks. After a restore, the
 * one that has changed votes for that, and the other one follows.
 *
 * <p>A subtask whose input has ended finishes only when all others have carried out the commands
 * that it knows: in a checkpoint without it, nothing has to wait for its vote.
 */
final class GroupCommands implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GroupCommands.class);

  private static final long POLL_MILLIS = 50;

  /** Longer reasons are cut: every subtask is sent those of all. */
  private static final int MAX_REASON = 1_000;

  /** Threads that hang: each may have memory. */
  private static final int MAX_HANGING = 3;

  private static final String BEFORE_RESTART = "refused before the job's restart";

  /** What a gatherer does for a command, in its task's thread, to which it passes mails. */
  interface Task {
    /** Runs something in the task's thread. */
    void mail(ThrowingRunnable<Exception> mail, String description);

    /** The kind of a command that was added. */
    CommandKind kind(ControlCommand command);

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
  }

  /**
   * The place of a subtask.
   *
   * @param groups all of the job that take commands, each by the name of its first stage, in order
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

    private CommandVotes votes(boolean ofAllGroups, GlobalAggregateManager master) {
      return new CommandVotes(
          ofAllGroups ? groups : List.of(group), group, subtask, subtasks, master);
    }
  }

  /** A failure of the vote that the end of the task explains. */
  private static final class EndedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private final Task gatherer;
  private final Place place;
  private final CommandVotes groupVotes;
  private final CommandVotes jobVotes;
  private final Duration limit;
  private final ThreadFactory threads;
  private final ExecutorService loader;
  private final Queue<ControlCommand> waiting = new ArrayDeque<>(); // for the round
  private final AtomicInteger hanging = new AtomicInteger();
  private String round;
  private volatile CompletableFuture<CommandKind.Change> preparing = new CompletableFuture<>();
  private volatile boolean finished;
  private volatile boolean closed;

  /** Waits for the end of the last command; in the loader's thread. */
  private Work last = () -> {};

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
    this.gatherer = gatherer;
    this.place = place;
    this.groupVotes = place.votes(false, master);
    this.jobVotes = place.votes(true, master);
    this.limit = limit;
    this.threads = threads;
    this.loader = Executors.newSingleThreadExecutor(threads);
  }

  /**
   * Begins the round, in which commands are carried out; later calls do nothing.
   *
   * @param decided id of the last command that was decided before; empty if there was none
   * @param committed whether it took effect
   */
  void begin(String round, String decided, boolean committed) {
    if (this.round != null) {
      return;
    }
    this.round = round;
    Vote vote = committed ? Vote.APPLIED : Vote.dropped(BEFORE_RESTART);
    if (!decided.isEmpty()) {
      boolean ended = waiting.stream().noneMatch(command -> command.getId().equals(decided));
      // others may not have decided it; of which kind it was is not known any more
      Vote inGroup = ended && place.tells(false) ? vote.end() : vote;
      Vote inJob = ended && place.tells(true) ? vote.end() : vote;
      run(
          () -> {
            vote(groupVotes, decided, inGroup);
            vote(jobVotes, decided, inJob);
            last = () -> awaitEnd(decided, inGroup, inJob);
          });
    }
    for (ControlCommand command : waiting) {
      run(() -> carryOut(command, command.getId().equals(decided) ? vote : null));
    }
    waiting.clear();
  }

  /** Carries out a command, after those before it. */
  void add(ControlCommand command) {
    if (round == null) {
      waiting.add(command);
    } else {
      run(() -> carryOut(command, null));
    }
  }

  /**
   * Refuses what is not prepared yet: this subtask has no more batches, but others may wait.
   *
   * @param done called in the task's thread once all subtasks have carried out the commands so far
   */
  void finish(Runnable done) {
    finished = true;
    preparing.completeExceptionally(inputEnded());
    run(
        () -> {
          last.run();
          mail(done::run);
        });
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
   * @param before what was decided before a restore; null if it was not
   */
  private void carryOut(ControlCommand command, Vote before) throws Exception {
    String id = command.getId();
    CommandKind kind = gatherer.kind(command);
    CommandVotes votes = kind.ofAllGroups() ? jobVotes : groupVotes;
    boolean tells = place.tells(kind.ofAllGroups());
    Vote decided = before == null ? decide(kind, votes, command) : before;
    if (tells) {
      await(votes, id, decided, all -> all.complete() && all.decided());
    }
    mail(() -> gatherer.ended(command, tells, decided.reason()));
    if (tells) {
      vote(votes, id, decided.end());
      last = () -> {};
    } else {
      last = () -> await(votes, id, decided, Votes::ended);
    }
  }

  private void awaitEnd(String command, Vote inGroup, Vote inJob) throws InterruptedException {
    while (!vote(groupVotes, command, inGroup).ended() && !vote(jobVotes, command, inJob).ended()) {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  private Vote decide(CommandKind kind, CommandVotes votes, ControlCommand command)
      throws Exception {
    mail(() -> gatherer.preparing(command));
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
    Votes all = await(votes, command.getId(), vote, Votes::complete);
    String refusal = all.refusal();
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
    vote(votes, command.getId(), decided);
    then[0].run();
    return decided;
  }

  /** Prepares a command for a limited time; what is prepared later is closed. */
  private CommandKind.Change prepare(CommandKind kind, ControlCommand command)
      throws InterruptedException {
    if (hanging.get() >= MAX_HANGING) {
      throw new OperatorException(
          MAX_HANGING
              + " commands before are still being prepared in subtask "
              + place.subtask()
              + ", although their time is over; see why, and restart the job");
    }
    CompletableFuture<CommandKind.Change> prepared = new CompletableFuture<>();
    preparing = prepared;
    if (finished) {
      throw inputEnded();
    }
    AtomicInteger running = hanging;
    Thread thread =
        threads.newThread(
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
    running.incrementAndGet();
    thread.start();
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
        "command");
    done.await();
  }

  /** Votes again and again, until all votes are as awaited. */
  private Votes await(CommandVotes votes, String command, Vote vote, Predicate<Votes> awaited)
      throws InterruptedException {
    while (true) {
      Votes all = vote(votes, command, vote);
      if (awaited.test(all)) {
        return all;
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  private Votes vote(CommandVotes votes, String command, Vote vote) throws InterruptedException {
    while (true) {
      if (closed) {
        throw new EndedException();
      }
      try {
        return votes.vote(round, command, vote);
      } catch (IOException | RuntimeException e) {
        LOG.warn("the job master did not count a vote on a command; it is sent again", e);
        TimeUnit.MILLISECONDS.sleep(20 * POLL_MILLIS);
      }
    }
  }

  /** Ends the threads; does not wait for what is being prepared. */
  @Override
  public void close() {
    closed = true;
    preparing.completeExceptionally(new EndedException());
    loader.shutdownNow();
  }
}
