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
 * Stages to be shared, and how their batches are formed. Made where a program is put together, and
 * sent to where it runs by Java serialization: it refers to the content of its index files, so that
 * a changed file is refused there.
 *
 * @param settings the text of all settings of the stages; configurations are shared if it and the
 *     content of their indexes and files of settings, their limits and their devices are the same
 * @param stages that work on the same batches, one or more, in order; not open
 * @param batches when they are processed, with the records of all clients
 * @param timeout maximum time that the stages may work on a batch; zero for none
 * @param maxPending maximum records that a client may have under way: waiting, or in a batch
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
   * Makes a configuration. Hashes the index file of the stage, unless it is remote and the options
   * give its SHA-256.
   *
   * @param engine reads index files that are neither local nor on an HTTP server; see {@link
   *     IndexFiles#none}
   * @throws OperatorException if the index file is not what the options say
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

  /** The same with another {@link #timeout}. */
  public SharedConfig withTimeout(Duration other) {
    return new SharedConfig(settings, stages, batches, other, maxPending);
  }

  /**
   * The same with another index.
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

  /** The contents of the indexes, and of the files of settings, which may change under a path. */
  List<String> contents() {
    List<String> contents = new ArrayList<>();
    for (BatchStage stage : stages) {
      stage.indexRefs().forEach(index -> contents.add(index.kind() + " " + index.sha256()));
      contents.add(stage.readSettings());
    }
    return contents;
  }
}
