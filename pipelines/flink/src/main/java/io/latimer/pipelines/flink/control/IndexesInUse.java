package io.latimer.pipelines.flink.control;

import io.latimer.pipelines.flink.state.IndexState;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.schemas.StageReference;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The index versions that later batches of a subtask use, by stage name. Changed in the task's
 * thread, read in any.
 */
final class IndexesInUse {
  private volatile Map<String, IndexVersion> versions;
  private volatile List<StageReference> references;

  IndexesInUse(Map<String, IndexVersion> versions) {
    set(new LinkedHashMap<>(versions));
  }

  private void set(Map<String, IndexVersion> next) {
    versions = next;
    references = List.copyOf(IndexState.stamps(next));
  }

  void use(String stage, IndexVersion version) {
    Map<String, IndexVersion> next = new LinkedHashMap<>(versions);
    next.put(stage, version);
    set(next);
  }

  /** The versions, which callers must not modify. */
  Map<String, IndexVersion> versions() {
    return versions;
  }

  /** The versions as batches are stamped with them. */
  List<StageReference> references() {
    return references;
  }
}
