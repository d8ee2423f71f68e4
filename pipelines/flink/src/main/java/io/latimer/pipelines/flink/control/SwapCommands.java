package io.latimer.pipelines.flink.control;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.flink.batch.ChainedStages;
import io.latimer.pipelines.flink.state.IndexState;
import io.latimer.pipelines.flink.state.LearnedState;
import io.latimer.pipelines.job.ControlConfig;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.StageIndexVersion;
import io.latimer.schemas.SwapState;
import java.net.URI;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Commands that swap an index: the new one is opened beside the one in use. */
final class SwapCommands extends IndexCommands {
  private static final long POLL_MILLIS = 50;

  /**
   * Creates the kind.
   *
   * @param learn how stages learn, in all groups
   */
  SwapCommands(
      List<ControlConfig.Learn> learn,
      ChainedStages stages,
      IndexesInUse inUse,
      LearnedState learned) {
    super(learn, stages, inUse, learned);
  }

  @Override
  public boolean isFor(ControlCommand command) {
    return command.getSwap() != null && inUse.versions().containsKey(command.getSwap().getStage());
  }

  @Override
  public Change prepare(ControlCommand command) {
    StageIndexVersion swap = command.getSwap();
    String stage = swap.getStage();
    IndexRef index = IndexState.fromAvro(swap.getReference());
    IndexVersion now = inUse.versions().get(stage);
    if (now.index().uri().equals(index.uri()) && !now.index().sha256().equals(index.sha256())) {
      throw new OperatorException(
          index.location()
              + " is in use with other content, which batches may need again after a failure; give"
              + " the new file a name of its own");
    }
    requireReplaces(command, now);
    LearnedPairs beside = beside(stage, command.getCovers());
    requireCovers(command, now);
    requireRoom(stage, now.learned(), beside);
    IndexVersion next = new IndexVersion(index, beside);
    long needed = Math.min(now.learned().from(), beside.from());
    awaitOlderBatches(stage, needed);
    ChainedStages.Prepared prepared = stages.prepare(stage, next);
    return new Change() {
      @Override
      public MicroBatcher.Fill fill() {
        return MicroBatcher.Fill.SWAP;
      }

      @Override
      public Runnable apply() {
        ChainedStages.Prepared old = stages.use(prepared);
        inUse.use(stage, next);
        // batches in flight or a swap back may need the pairs of the version before
        learned.retire(stage, needed);
        stages.learned(stage, learned.of(stage));
        return old::close;
      }

      @Override
      public void close() {
        prepared.close();
      }
    };
  }

  /** Refuses a compaction if the index that it was made from is no longer in use. */
  private static void requireReplaces(ControlCommand command, IndexVersion now) {
    if (!command.getReplaces().isEmpty() && !command.getReplaces().equals(now.index().sha256())) {
      throw new OperatorException(
          "the new index was made of another one than "
              + now.index().location()
              + ", to which stage "
              + command.getSwap().getStage()
              + " was swapped meanwhile");
    }
  }

  /**
   * Refuses a compaction with other pairs: after a failure, a stage may have learned new pairs
   * under the numbers of those in the file.
   */
  private static void requireCovers(ControlCommand command, IndexVersion now) {
    LearnedPairs used = now.learned();
    if (!command.getCoversDigest().isEmpty()
        && (command.getCovers() < used.from()
            || command.getCovers() > used.to()
            || !used.endingAt(command.getCovers()).digest().equals(command.getCoversDigest()))) {
      throw new OperatorException(
          "the new index has other learned pairs in it than stage "
              + command.getSwap().getStage()
              + " has learned before number "
              + command.getCovers()
              + "; the job has restarted from an earlier state meanwhile");
    }
  }

  /**
   * Waits until no batch in flight uses pairs that the swap retires: those of versions before the
   * one in use. All subtasks do, so there is no such batch when the swap takes effect.
   */
  private void awaitOlderBatches(String stage, long needed) {
    try {
      while (stages.firstPairInFlight(stage) < needed) {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OperatorException(
          "batches of stage " + stage + " from before the last swap are still in flight", e);
    }
  }

  /** Checks that there is room for the pairs; a swap that reduces them is always possible. */
  private void requireRoom(String stage, LearnedPairs now, LearnedPairs next) {
    if (next.size() > now.size()) {
      limits(stage).ifPresent(limits -> AppendCommands.requireRoom(limits, next, taught(stage)));
    }
  }

  /** The learned pairs that a new index does not contain. */
  private LearnedPairs beside(String stage, long covers) {
    LearnedPairs known = learned.usable(stage);
    if (covers > known.to()) {
      throw new OperatorException(
          "the swap says that the new index has the first "
              + covers
              + " learned "
              + taught(stage).plural()
              + " in it, but stage "
              + stage
              + " has learned "
              + known.to());
    }
    if (covers < known.from()) {
      throw new OperatorException(
          "the swap says that the new index has the first "
              + covers
              + " learned "
              + taught(stage).plural()
              + " in it, but those before number "
              + known.from()
              + " are only in index files that stage "
              + stage
              + " has used; swap to an index that has them in it, or do without them, and give"
              + " --covers "
              + known.from()
              + " or more");
    }
    return known.startingAt(covers);
  }

  @Override
  public void write(SwapState.Builder state) {
    state.setInUse(inUse.references());
  }

  @Override
  public String stage(ControlCommand command) {
    return command.getSwap().getStage();
  }

  @Override
  public IndexReference reference(ControlCommand command) {
    return command.getSwap().getReference();
  }

  @Override
  public String note(ControlCommand command) {
    IndexVersion used = inUse.versions().get(stage(command));
    return used.learned().to() == 0 ? "" : AppendCommands.note(used) + " beside it";
  }

  @Override
  public String what(ControlCommand command) {
    return IndexRef.location(URI.create(reference(command).getUri()));
  }
}
