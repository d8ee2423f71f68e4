package io.latimer.pipelines.stages;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.record.Envelopes;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.StageTiming;
import java.util.ArrayList;
import java.util.List;

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

  private IdentityStage(StageConfig config) {
    super(config);
  }

  static IdentityStage of(StageConfig config) {
    return new IdentityStage(config);
  }

  @Override
  public List<IndexRef> indexRefs() {
    return List.of();
  }

  @Override
  public boolean pinned() {
    return false;
  }

  @Override
  public void open(Device device, ResidentIndexes indexes) {}

  @Override
  public List<Envelope> apply(List<Envelope> batch, long queueNanos) {
    List<StageTiming> timing = List.of(new StageTiming(name(), 0L, queueNanos, batch.size()));
    List<Envelope> done = new ArrayList<>(batch.size());
    for (Envelope envelope : batch) {
      done.add(envelope.getFailure() == null ? translated(envelope, timing) : envelope);
    }
    return done;
  }

  private static Envelope translated(Envelope envelope, List<StageTiming> timing) {
    return Envelopes.with(
        envelope,
        Envelopes.translation(envelope, SECTION.name())
            .setTimings(Envelopes.timings(envelope, timing))
            .build());
  }

  @Override
  public void close() {}
}
