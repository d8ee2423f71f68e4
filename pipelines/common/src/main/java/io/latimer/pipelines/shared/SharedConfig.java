package io.latimer.pipelines.shared;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.batch.BatchPolicy;
import io.latimer.pipelines.config.ConfigFile;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.index.IndexSource;
import io.latimer.pipelines.job.StageOptions;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stages.Stages;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The configuration of shared stages and their batches. It is created where a program is built, and
 * sent by Java serialization to where it runs; it contains the hashes of its index files, so that a
 * changed file is refused there.
 *
 * @param settings all settings of the stages as text. Configurations are shared if this, the
 *     content of their indexes and settings files, their limits and their devices are equal
 * @param stages one or more stages that work on the same batches, in order; not open
 * @param batches when batches of the records of all clients are processed
 * @param timeout maximum time that the stages may work on a batch; zero for none
 * @param maxPending maximum number of records that a client may have in flight, waiting or in a
 *     batch
 */
public record SharedConfig(
    String settings, List<BatchStage> stages, BatchPolicy batches, Duration timeout, int maxPending)
    implements Serializable {

  public SharedConfig {
    Objects.requireNonNull(settings, "settings");
    Objects.requireNonNull(batches, "batches");
    Objects.requireNonNull(timeout, "timeout");
    stages = List.copyOf(stages);
    if (stages.isEmpty()) {
      throw new IllegalArgumentException("at least one stage is needed");
    }
    if (maxPending < 1) {
      throw new IllegalArgumentException(
          "batch.max-pending: must be 1 or more, found " + maxPending);
    }
  }

  /**
   * Creates a configuration. Hashes the index file of the stage, unless it is remote and the
   * options give its SHA-256.
   *
   * @param engine reads index files that are neither local nor on an HTTP server; see {@link
   *     IndexFiles#none}
   * @throws OperatorException if the index file does not match the options
   */
  public static SharedConfig of(StageOptions options, IndexSource engine) {
    IndexFiles files = new IndexFiles(options.indexes(), engine);
    BatchStage stage =
        (BatchStage) Stages.of(options.stage(), new Stages.Job(options.stage().name(), files));
    return new SharedConfig(
        options.stage().kind() + ":\n" + ConfigFile.write(options.stage().settings()),
        List.of(stage),
        options.batches(),
        options.timeout(),
        options.maxPending());
  }

  /** A copy with another {@link #timeout}. */
  public SharedConfig withTimeout(Duration other) {
    return new SharedConfig(settings, stages, batches, other, maxPending);
  }

  /**
   * A copy with another index.
   *
   * @param stage name of the stage that uses it
   * @throws OperatorException if the stage cannot use it, or there is no such stage
   */
  SharedConfig on(String stage, IndexRef index) {
    List<BatchStage> others = new ArrayList<>(stages);
    for (int i = 0; i < others.size(); i++) {
      if (others.get(i).name().equals(stage)) {
        others.set(i, others.get(i).on(index));
        return new SharedConfig(settings, others, batches, timeout, maxPending);
      }
    }
    throw new OperatorException("there is no stage \"" + stage + "\" to use " + index.location());
  }

  /** The contents of the indexes and of settings files, which may change under the same path. */
  List<String> contents() {
    List<String> contents = new ArrayList<>();
    for (BatchStage stage : stages) {
      stage.indexRefs().forEach(index -> contents.add(index.kind() + " " + index.sha256()));
      contents.add(stage.readSettings());
    }
    return contents;
  }
}
