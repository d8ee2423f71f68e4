package io.latimer.pipelines.flink;

import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.StageReference;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the learned pairs of a group's stages to new index files, when there are many, and then
 * asks for a swap by a command. One subtask of the group does this, in threads of its own. The
 * command says what the file was made of, so that it changes nothing where that is not in use.
 */
final class Compactions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Compactions.class);

  /** Parts of the pairs that have to be added after a failure before the next attempt. */
  private static final int AFTER_FAILURE = 10;

  /** The same after a swap was asked for, which may be refused. */
  private static final int AFTER_COMMAND = 2;

  /** Sends a command to the job. */
  interface Commands {
    void send(ControlCommand command) throws Exception;
  }

  private final String job;
  private final SwappableStages stages;
  private final Commands commands;
  private final Function<String, IndexVersion> inUse;
  private final ThreadFactory threads;

  /** Numbers of the pairs at which the next attempt may begin, by the names of stages. */
  private final Map<String, Long> next = new HashMap<>();

  private volatile boolean closed;

  /**
   * Makes the compactions of a subtask.
   *
   * @param job the job's name
   * @param inUse what a stage uses now, by its name
   */
  Compactions(
      String job,
      SwappableStages stages,
      Commands commands,
      Function<String, IndexVersion> inUse,
      ThreadFactory threads) {
    this.inUse = inUse;
    this.job = job;
    this.stages = stages;
    this.commands = commands;
    this.threads = threads;
  }

  /**
   * Begins to write a new index file if a stage has learned enough.
   *
   * @param now what the stage uses
   */
  void consider(JobConfig.Learn learn, IndexVersion now) {
    long to = now.learned().to();
    if (!learn.isCompacted()
        || now.learned().size() < learn.compactPairs()
        || !begin(learn.stage(), to)) {
      return;
    }
    threads.newThread(() -> compact(learn, now)).start();
  }

  private synchronized boolean begin(String stage, long to) {
    if (to < next.getOrDefault(stage, 0L)) {
      return false;
    }
    next.put(stage, Long.MAX_VALUE); // not before this attempt has ended
    return true;
  }

  private synchronized void end(JobConfig.Learn learn, long to, int parts) {
    next.put(learn.stage(), to + Math.max(1, learn.compactPairs() / parts));
  }

  private void compact(JobConfig.Learn learn, IndexVersion now) {
    long covers = now.learned().to();
    int parts = AFTER_FAILURE;
    try {
      IndexRef file = stages.compact(learn.stage(), now, Path.of(learn.compactDirectory()));
      LOG.info(
          "stage {}: wrote the learned pairs from {} to {} to {}",
          learn.stage(),
          now.learned().from(),
          covers,
          file.location());
      if (!inUse.apply(learn.stage()).index().equals(now.index())) {
        LOG.info("stage {}: was swapped meanwhile; {} is not used", learn.stage(), file.location());
      } else if (!closed) {
        commands.send(swap(learn.stage(), file, now));
        parts = AFTER_COMMAND;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) { // errors, too, such as too little memory: the stage goes on as it is
      if (!closed) {
        LOG.warn(
            "stage {}: the learned pairs were not written to a new index in {}; this is tried"
                + " again when there are more",
            learn.stage(),
            learn.compactDirectory(),
            e);
      }
    } finally {
      end(learn, covers, parts);
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

  /** Sends no more commands; does not wait for a file that is being written. */
  @Override
  public void close() {
    closed = true;
  }
}
