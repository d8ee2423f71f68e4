package io.latimer.pipelines.flink;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.PublishedFiles;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.StageReference;
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
 * Writes the learned pairs of a group's stages to new index files, when there are many, and then
 * asks for a swap by a command. One subtask of the group does this, in threads of its own. The
 * command says what the file was made of, so that it changes nothing where that is not in use.
 */
final class Compactions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Compactions.class);

  /** Time between two looks at whether another attempt is due. */
  static final long CHECK_MILLIS = 10_000;

  /** Time after the first attempt that did not succeed; it doubles with each further one. */
  private static final long FIRST_DELAY_MILLIS = 10_000;

  /** The longest such time; also that for the answer to a command, which may have been lost. */
  private static final long MAX_DELAY_MILLIS = 600_000;

  /** The writers of this process: one that has ended may still be at work. */
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

  /** By the names of stages. Guarded by this. */
  private final Map<String, Attempts> attempts = new HashMap<>();

  private volatile boolean closed;

  /** What was tried to replace an index. */
  private static final class Attempts {
    private final String base;
    private boolean running;
    private int unsuccessful;

    /** Id of the command that was sent last, as long as its end is not known. */
    private String awaited = "";

    /** When the next one may begin, as the clock says. */
    private long next;

    Attempts(String base) {
      this.base = base;
    }

    /** The next attempt waits longer than it did for this one. */
    private void delay(long now) {
      next =
          now + Math.min(MAX_DELAY_MILLIS, FIRST_DELAY_MILLIS << Math.min(unsuccessful, Byte.SIZE));
      unsuccessful++;
    }
  }

  /**
   * Makes the compactions of a subtask.
   *
   * @param job the job's name
   * @param inUse what a stage uses now, by its name
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
   * Begins to write a new index file if a stage has learned enough, unless that was tried a short
   * time ago.
   */
  void consider(JobConfig.Learn learn) {
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
      before = new Attempts(base); // the last one has succeeded, or is of no use any more
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

  /** A command of a stage has ended, perhaps one of these. */
  synchronized void ended(String stage, String command) {
    Attempts now = attempts.get(stage);
    if (now != null && now.awaited.equals(command)) {
      now.awaited = "";
      now.delay(clock.getAsLong()); // if it was carried out, another index is in use
    }
  }

  /** Ends the writing of a file when the task does. */
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

  /** Names the stage of the job; the same after a restart. */
  private String writer(String stage) {
    return PublishedFiles.writer(job + "\n" + stage);
  }

  private void compact(JobConfig.Learn learn, IndexVersion now) {
    String writer = writer(learn.stage());
    if (!WRITING.add(writer)) {
      ended(learn.stage()); // an earlier task writes for the same stage: later
      return;
    }
    try {
      compact(learn, now, writer);
    } finally {
      WRITING.remove(writer);
      ended(learn.stage());
    }
  }

  private void compact(JobConfig.Learn learn, IndexVersion now, String writer) {
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
    } catch (Throwable e) { // errors, too, such as too little memory: the stage goes on as it is
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

  /** The swap to a file, in place of the index and the pairs that were written to it. */
  private ControlCommand swap(String stage, IndexRef file, IndexVersion written) {
    return ControlCommand.newBuilder()
        .setId("compact-" + UUID.randomUUID())
        .setJob(job)
        .setTime(Instant.now())
        .setSwap(new StageReference(stage, IndexState.toAvro(file), 0L, 0L))
        .setCovers(written.learned().to())
        .setCoversDigest(written.learned().digest())
        .setReplaces(written.index().sha256())
        .build();
  }

  /**
   * Sends no more commands, and ends the writing of a file at its next step, without waiting. A
   * command that the brokers have not taken yet is given up.
   */
  @Override
  public void close() {
    closed = true;
    threads.close();
  }
}
