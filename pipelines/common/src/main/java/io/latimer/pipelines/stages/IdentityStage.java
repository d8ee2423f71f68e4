package io.latimer.pipelines.stages;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.RecordChange;
import io.latimer.pipelines.stage.RecordPart;
import io.latimer.pipelines.stage.StageBatch;
import io.latimer.pipelines.stage.StageConfig;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** "Translates" every sentence into itself, to measure the cost of a job without a model. */
public final class IdentityStage extends ConfiguredStage implements BatchStage {
  private static final long serialVersionUID = 1L;

  static final ConfigSection SECTION =
      ConfigSection.of(
          "identity",
          "\"Translates\" every sentence into itself, to measure the cost of a job without a"
              + " model.",
          StageConfig.NAME,
          StageConfig.DEVICE);

  IdentityStage(StageConfig config) {
    super(config);
  }

  @Override
  public void open(Device device, ResidentIndexes indexes) {}

  @Override
  public Set<RecordPart> reads() {
    return Set.of();
  }

  /** Writes nothing, because a record without a translation uses its sentence anyway. */
  @Override
  public Set<RecordPart> writes() {
    return Set.of();
  }

  @Override
  public List<Result<RecordChange>> apply(StageBatch batch) {
    return Collections.nCopies(batch.size(), Result.of(draft -> {}));
  }

  @Override
  public void close() {}
}
