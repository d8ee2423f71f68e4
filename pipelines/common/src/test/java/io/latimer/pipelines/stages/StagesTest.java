package io.latimer.pipelines.stages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.record.Records;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.Stage;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.StageTiming;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StagesTest {

  @Test
  void everyStageHasANameADeviceAndAPageOfItsOwn() {
    assertThat(Stages.sections()).extracting(ConfigSection::name).doesNotHaveDuplicates();
    assertThat(Stages.sections())
        .allSatisfy(
            section -> assertThat(section.keys()).contains(StageConfig.NAME, StageConfig.DEVICE));
  }

  @Test
  void aStageIsMadeByTheNameOfItsKind() {
    Stage stage = Stages.of(Stages.config("identity"), BatchStages.JOB);
    assertThat(stage).isInstanceOf(IdentityStage.class);
    assertThat(stage.name()).isEqualTo("identity");
    assertThat(stage.device()).isEqualTo("cpu");
    assertThatThrownBy(() -> Stages.config("idenity")).hasMessageContaining("idenity");
  }

  @Test
  void theIdentityStageHandsEverythingOnInOrder() {
    BatchStage stage = (BatchStage) Stages.of(Stages.config("identity"), BatchStages.JOB);
    stage.open(Device.CPU, new ResidentIndexes());
    List<Envelope> batch =
        List.of(Records.envelope(0, "one"), Records.refused(1), Records.envelope(2, "two"));
    List<Envelope> before = new ArrayList<>();
    batch.forEach(envelope -> before.add(Envelope.newBuilder(envelope).build()));
    List<Envelope> done = BatchStages.apply(stage, batch, 5L);
    assertThat(batch).isEqualTo(before);
    assertThat(done.get(1)).isEqualTo(batch.get(1));
    assertThat(done.get(0).getTranslation().getText()).isEqualTo("one");
    assertThat(done.get(2).getTranslation().getText()).isEqualTo("two");
    assertThat(done.get(2).getTranslation().getTargetLanguage()).isEqualTo("en");
    assertThat(done.get(2).getTranslation().getModelId()).isEqualTo("identity");
    assertThat(done.get(2).getTranslation().getTimings())
        .singleElement()
        .satisfies(
            timing -> {
              assertThat(timing.getNanos()).isNotNegative();
              timing.setNanos(0);
              assertThat(timing).isEqualTo(new StageTiming("identity", 0L, 5L, 2));
            });
    assertThat(done.get(2).getKey()).isEqualTo(batch.get(2).getKey());
    assertThat(done.get(2).getOriginal()).isEqualTo(batch.get(2).getOriginal());
    // an existing translation is kept
    assertThat(BatchStages.apply(stage, done, 6L).get(0).getTranslation().getTimings())
        .extracting(StageTiming::getQueueNanos)
        .containsExactly(5L, 6L);
    stage.close();
    stage.close();
  }
}
