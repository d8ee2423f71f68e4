package io.latimer.pipelines.flink.control;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.pipelines.flink.state.IndexState;
import io.latimer.pipelines.flink.state.LearnedState;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.IndexName;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.schemas.StageIndexVersion;
import io.latimer.schemas.SwapState;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The index versions that later batches of a subtask use, by {@link IndexName}. Changed in the
 * task's thread, read in any.
 */
final class IndexesInUse {
  private static final Logger LOG = LoggerFactory.getLogger(IndexesInUse.class);

  private volatile Map<String, IndexVersion> versions;
  private volatile List<StageIndexVersion> references;

  private IndexesInUse(Map<String, IndexVersion> versions) {
    set(versions);
  }

  /**
   * Restores the versions of a group's stages.
   *
   * @param before the state; null if there is none
   * @param learned the restored pairs of the stages
   */
  static IndexesInUse restore(List<BatchStage> stages, SwapState before, LearnedState learned) {
    Map<String, IndexRef> then =
        before == null ? Map.of() : IndexState.byName(before.getConfigured());
    Map<String, StageIndexVersion> used = new HashMap<>();
    if (before != null) {
      before.getInUse().forEach(one -> used.put(one.getStage(), one));
    }
    Map<String, IndexVersion> now = new LinkedHashMap<>();
    for (BatchStage stage : stages) {
      stage
          .indexes()
          .forEach(
              (name, configured) -> {
                StageIndexVersion last = used.get(name);
                IndexRef index = last == null ? null : IndexState.fromAvro(last.getReference());
                LearnedPairs pairs =
                    last == null
                        ? LearnedPairs.none()
                        : learned.used(name, last.getLearnedFrom(), last.getLearnedTo());
                now.put(
                    name, new IndexVersion(next(stage, configured, then.get(name), index), pairs));
              });
    }
    return new IndexesInUse(now);
  }

  /**
   * The index that a stage uses after a restore: the one to which a command swapped, unless the job
   * file changed.
   */
  private static IndexRef next(
      BatchStage stage, IndexRef configured, IndexRef then, IndexRef used) {
    if (then == null || used == null || used.sha256().equals(configured.sha256())) {
      return configured;
    }
    boolean changed =
        !then.uri().equals(configured.uri())
            || (stage.pinned(configured) && !then.sha256().equals(configured.sha256()));
    if (changed) {
      LOG.info(
          "stage {}: swapping {} for {}, as the changed job file says",
          stage.name(),
          used,
          configured);
      return configured;
    }
    if (!used.uri().equals(configured.uri())) {
      LOG.info(
          "stage {}: goes on with {}, to which it was swapped, instead of {} in the job file",
          stage.name(),
          used,
          configured);
    }
    return used;
  }

  private void set(Map<String, IndexVersion> next) {
    versions = next;
    references = List.copyOf(IndexState.stamps(next));
  }

  void use(String index, IndexVersion version) {
    Map<String, IndexVersion> next = new LinkedHashMap<>(versions);
    next.put(index, version);
    set(next);
  }

  /** The versions, which callers must not modify. */
  Map<String, IndexVersion> versions() {
    return versions;
  }

  /** The versions as batches are stamped with them. */
  List<StageIndexVersion> references() {
    return references;
  }
}
