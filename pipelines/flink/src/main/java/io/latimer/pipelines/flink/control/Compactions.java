package io.latimer.pipelines.flink.control;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.PublishedFiles;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.flink.batch.ChainedStages;
import io.latimer.pipelines.flink.state.IndexState;
import io.latimer.pipelines.flink.task.TaskThreads;
import io.latimer.pipelines.job.ControlConfig;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.StageIndexVersion;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compacts the learned pairs of a group's stages: when there are many, writes them to a new index
 * file and sends a command to swap to it. One subtask of the group does this, in threads of its
 * own. The command names the version that the file was made from, so that it has no effect if
 * another one is in use.
 */
final class Compactions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Compactions.class);

  /** Time between two checks whether another attempt is due. */
  static final long CHECK_MILLIS = 10_000;

  /** Delay after the first failed attempt; it doubles with each further one. */
  private static final long FIRST_DELAY_MILLIS = 10_000;

  /** Maximum delay; also the maximum time to wait for the end of a command, which may be lost. */
  private static final long MAX_DELAY_MILLIS = 600_000;

  /** The active writers of this process; that of an ended task may still be writing. */
  private static final Set<String> WRITING = ConcurrentHashMap.newKeySet();

  /** Sends a command to the job. */
  interface Commands {
    void send(ControlCommand command) throws Exception;
  }

  private final String job;
  private final ChainedStages stages;
  private final Commands commands;
  private final Function<String, IndexVersion> inUse;
  private final LongSupplier clock;
  private final TaskThreads threads;

  /** By stage name. Guarded by this. */
  private final Map<String, Attempts> attempts = new HashMap<>();

  private volatile boolean closed;

  /** The attempts to replace one index. */
  private static final class Attempts {
    private final String base;
    private boolean running;
    private int unsuccessful;

    /** Id of the last command sent, until it has ended; otherwise empty. */
    private String awaited = "";

    /** Earliest time of the next attempt, in the clock's milliseconds. */
    private long next;

    Attempts(String base) {
      this.base = base;
    }

    /** Delays the next attempt, longer than the one before. */
    private void delay(long now) {
      next =
          now + Math.min(MAX_DELAY_MILLIS, FIRST_DELAY_MILLIS << Math.min(unsuccessful, Byte.SIZE));
      unsuccessful++;
    }
  }

  /**
   * Creates the compactions of a subtask.
   *
   * @param job the job's name
   * @param inUse gives the version in use, by stage name
   * @param clock milliseconds
   */
  Compactions(
      String job,
      ChainedStages stages,
      Commands commands,
      Function<String, IndexVersion> inUse,
      LongSupplier clock,
      ThreadFactory threads) {
    this.inUse = inUse;
    this.job = job;
    this.stages = stages;
    this.commands = commands;
    this.clock = clock;
    this.threads = new TaskThreads(threads);
  }

  /**
   * Starts to write a new index file if a stage has learned enough, unless it was tried recently.
   */
  void consider(ControlConfig.Learn learn) {
    IndexVersion now = inUse.apply(learn.stage());
    if (learn.isCompacted()
        && now.learned().size() >= learn.compactPairs()
        && begin(learn.stage(), now)) {
      Thread unused = threads.start(() -> compact(learn, now));
    }
  }

  private synchronized boolean begin(String stage, IndexVersion now) {
    Attempts before = attempts.get(stage);
    if (before != null && before.running) {
      return false;
    }
    String base = now.index().sha256();
    if (before == null || !before.base.equals(base)) {
      before = new Attempts(base); // the last attempt has succeeded or become useless
      attempts.put(stage, before);
    }
    long wait = before.next - clock.getAsLong();
    if (wait > 0 && wait <= MAX_DELAY_MILLIS) { // the clock may have been set back
      return false;
    }
    before.running = true;
    return true;
  }

  private synchronized void sending(String stage, String command) {
    Attempts now = attempts.get(stage);
    now.awaited = command;
    now.next = clock.getAsLong() + MAX_DELAY_MILLIS;
  }

  private synchronized void failed(String stage) {
    Attempts now = attempts.get(stage);
    now.awaited = "";
    now.delay(clock.getAsLong());
  }

  private synchronized void ended(String stage) {
    attempts.get(stage).running = false;
  }

  /** Handles the end of a command for a stage, which may be one of these. */
  synchronized void ended(String stage, String command) {
    Attempts now = attempts.get(stage);
    if (now != null && now.awaited.equals(command)) {
      now.awaited = "";
      now.delay(clock.getAsLong()); // no matter if it succeeded: another index is in use then
    }
  }

  /** Cancels the writing of a file when the task has ended. */
  private final class Progress implements BuildProgress {
    @Override
    public void read(long bytes) {
      requireOpen();
    }

    @Override
    public void step(String what) {
      requireOpen();
    }

    private void requireOpen() {
      if (closed) {
        throw new CancellationException("the task has ended");
      }
    }
  }

  /** Identifies the stage and the job; stable across restarts. */
  private String writer(String stage) {
    return PublishedFiles.writer(job + "\n" + stage);
  }

  private void compact(ControlConfig.Learn learn, IndexVersion now) {
    String writer = writer(learn.stage());
    if (!WRITING.add(writer)) {
      ended(learn.stage()); // the writer of an earlier task is still at it; try again later
      return;
    }
    try {
      compact(learn, now, writer);
    } finally {
      WRITING.remove(writer);
      ended(learn.stage());
    }
  }

  private void compact(ControlConfig.Learn learn, IndexVersion now, String writer) {
    String stage = learn.stage();
    try {
      IndexRef file = stages.compact(stage, now, learn.compactDirectory(), writer, new Progress());
      LOG.info(
          "stage {}: wrote the learned pairs from {} to {} to {}",
          stage,
          now.learned().from(),
          now.learned().to(),
          file.location());
      if (!inUse.apply(stage).index().equals(now.index())) {
        LOG.info("stage {}: was swapped meanwhile; {} is not used", stage, file.location());
      } else if (!closed) {
        ControlCommand swap = swap(stage, file, now);
        sending(stage, swap.getId());
        commands.send(swap);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) { // also errors, such as out of memory: the stage goes on as it is
      failed(stage);
      if (!closed) {
        LOG.warn(
            "stage {}: the learned pairs were not written to a new index in {}; this is tried"
                + " again after some time",
            stage,
            learn.compactDirectory(),
            e);
      }
    }
  }

  /** The command to swap to a file, which replaces the index and the pairs written to it. */
  private ControlCommand swap(String stage, IndexRef file, IndexVersion written) {
    return ControlCommand.newBuilder()
        .setId("compact-" + UUID.randomUUID())
        .setJob(job)
        .setTime(Instant.now())
        .setSwap(new StageIndexVersion(stage, IndexState.toAvro(file), 0L, 0L))
        .setCovers(written.learned().to())
        .setCoversDigest(written.learned().digest())
        .setReplaces(written.index().sha256())
        .build();
  }

  /**
   * Sends no more commands, and cancels the writing of a file at its next step, without waiting. A
   * command that the brokers have not acknowledged yet is abandoned.
   */
  @Override
  public void close() {
    closed = true;
    threads.close();
  }
}
