package io.latimer.pipelines.sql;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;

/** A stage that works on a batch until the test lets it end, as a device that hangs. */
final class HeldStage implements BatchStage {
  private static final long serialVersionUID = 1L;

  static final Semaphore BEGUN = new Semaphore(0);
  static final Semaphore MAY_END = new Semaphore(0);

  @Override
  public String kind() {
    return "identity";
  }

  @Override
  public String name() {
    return "held";
  }

  @Override
  public String device() {
    return "cpu";
  }

  @Override
  public Set<RecordPart> reads() {
    return Set.of(RecordPart.SOURCE);
  }

  @Override
  public Set<RecordPart> writes() {
    return Set.of(RecordPart.TRANSLATION);
  }

  @Override
  public void open(Device device, ResidentIndexes indexes) {}

  @Override
  public List<Result<RecordChange>> apply(StageBatch batch) {
    BEGUN.release();
    MAY_END.acquireUninterruptibly();
    List<Result<RecordChange>> changes = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      String text = batch.source(i).getText();
      changes.add(Result.of(draft -> draft.setText(text)));
    }
    return changes;
  }

  @Override
  public void close() {}
}
