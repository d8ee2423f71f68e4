package io.latimer.pipelines.flink;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.StageReference;
import io.latimer.schemas.SwapState;
import java.net.URI;

/** Swaps of indexes: the new one is opened beside the one in use. */
final class SwapCommands implements CommandKind {
  private final SwappableStages stages;
  private final IndexesInUse inUse;

  SwapCommands(SwappableStages stages, IndexesInUse inUse) {
    this.stages = stages;
    this.inUse = inUse;
  }

  @Override
  public boolean isFor(ControlCommand command) {
    return command.getSwap() != null && inUse.indexes().containsKey(command.getSwap().getStage());
  }

  @Override
  public boolean ofAllGroups() {
    return false;
  }

  @Override
  public Change prepare(ControlCommand command) {
    StageReference swap = command.getSwap();
    String stage = swap.getStage();
    IndexRef index = IndexState.fromAvro(swap.getReference());
    IndexRef now = inUse.indexes().get(stage);
    if (now.uri().equals(index.uri()) && !now.sha256().equals(index.sha256())) {
      throw new OperatorException(
          index.location()
              + " is in use with other content, which batches may need again after a failure; give"
              + " the new file a name of its own");
    }
    SwappableStages.Prepared prepared = stages.prepare(stage, index);
    return new Change() {
      @Override
      public MicroBatcher.Fill fill() {
        return MicroBatcher.Fill.SWAP;
      }

      @Override
      public Runnable apply() {
        SwappableStages.Prepared old = stages.use(prepared);
        inUse.use(stage, index);
        return old::close;
      }

      @Override
      public void close() {
        prepared.close();
      }
    };
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
  public String what(ControlCommand command) {
    return IndexRef.location(URI.create(reference(command).getUri()));
  }
}
