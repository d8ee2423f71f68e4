package io.latimer.pipelines.stages;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.index.IndexSettings;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.schemas.Envelope;
import java.nio.file.Path;
import java.util.List;

/** Reads batch stages and runs them as a job does. */
final class BatchStages {
  /** A job whose index files are local. */
  static final Stages.Job JOB =
      new Stages.Job("job", new IndexFiles(IndexSettings.DEFAULTS, IndexFiles.none()));

  private BatchStages() {}

  /**
   * Reads a stage.
   *
   * @param stage in YAML, such as {@code score: {model: model.llm}}
   */
  static BatchStage read(Path folder, String stage) {
    String yaml = "source: {list: {lines: []}}\nstages: [{" + stage + "}]\n";
    return (BatchStage) JobConfigReader.read(yaml, "job.yaml", folder).newStages().get(0);
  }

  /** Opens a stage, applies it to a batch and closes it; its index is resident only while open. */
  static List<Envelope> run(BatchStage stage, List<Envelope> batch) {
    assertThat(stage.indexRefs()).hasSize(1);
    return runAll(stage, batch);
  }

  /** The same for a stage with any number of indexes. */
  static List<Envelope> runAll(BatchStage stage, List<Envelope> batch) {
    ResidentIndexes indexes = new ResidentIndexes();
    try (stage) {
      stage.open(Device.parse(stage.device()), indexes);
      assertThat(indexes.size()).isGreaterThanOrEqualTo(stage.indexRefs().size());
      return apply(stage, batch, 1_000L);
    } finally {
      stage.close();
      assertThat(indexes.size()).isZero();
    }
  }

  /** Applies an open stage, as the only one of a group, to a batch. */
  static List<Envelope> apply(BatchStage stage, List<Envelope> batch, long queueNanos) {
    return new StageGroup(List.of(stage), Thread::new).call(batch, queueNanos).run();
  }
}
