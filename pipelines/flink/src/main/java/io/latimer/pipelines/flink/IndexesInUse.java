package io.latimer.pipelines.flink;

import io.latimer.operators.index.IndexRef;
import io.latimer.schemas.StageReference;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The indexes that later batches of a subtask use, by the names of their stages. Changed in the
 * task's thread, read in any.
 */
final class IndexesInUse {
  private volatile Map<String, IndexRef> indexes;
  private volatile List<StageReference> references;

  IndexesInUse(Map<String, IndexRef> indexes) {
    set(new LinkedHashMap<>(indexes));
  }

  private void set(Map<String, IndexRef> next) {
    indexes = next;
    references = List.copyOf(IndexState.toAvro(next));
  }

  void use(String stage, IndexRef index) {
    Map<String, IndexRef> next = new LinkedHashMap<>(indexes);
    next.put(stage, index);
    set(next);
  }

  /** Not to be changed. */
  Map<String, IndexRef> indexes() {
    return indexes;
  }

  /** As batches are stamped with them. */
  List<StageReference> references() {
    return references;
  }
}
