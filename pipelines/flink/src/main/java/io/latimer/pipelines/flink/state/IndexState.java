package io.latimer.pipelines.flink.state;

import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.StageIndexVersion;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the index references in a job's state with those in the job file on a restart.
 *
 * <ul>
 *   <li>The same path and the same content: the job continues.
 *   <li>The same path, but other content than in the state: refused, unless the job file gives the
 *       SHA-256 of the new content. An overwritten file must not change translations silently.
 *   <li>Another path: the job file requests another index (or the same one elsewhere), which is
 *       used.
 * </ul>
 */
public final class IndexState {
  private static final Logger LOG = LoggerFactory.getLogger(IndexState.class);

  private IndexState() {}

  /**
   * Restores the references. They are split-distributed list state, because Flink takes no
   * checkpoints with union state once some subtasks have finished.
   *
   * @return the state, which may contain a reference several times
   */
  public static ListState<IndexReference> restore(OperatorStateStore store) throws Exception {
    return store.getListState(
        new ListStateDescriptor<>("indexes", new AvroTypeInfo<>(IndexReference.class)));
  }

  /**
   * Compares the references.
   *
   * @param stage name of the stage, for messages
   * @param restored the references in the state; empty on a first start
   * @param configured the references of the job file
   * @param pinned whether the job file gives the SHA-256 of the content of one of these
   * @throws UnrecoverableException if the content of a file changed under the job
   */
  public static void check(
      String stage,
      List<IndexRef> restored,
      List<IndexRef> configured,
      Predicate<IndexRef> pinned) {
    for (IndexRef was : restored) {
      for (IndexRef is : configured) {
        if (!was.uri().equals(is.uri()) || was.sha256().equals(is.sha256())) {
          continue;
        }
        if (!pinned.test(is)) {
          throw new UnrecoverableException(
              "stage "
                  + stage
                  + ": "
                  + is.location()
                  + " changed under the job: expected sha256 "
                  + was.sha256()
                  + " as in the job's state, found "
                  + is.sha256()
                  + "; restore the old file, or set the new sha256 in the job file to swap it");
        }
      }
    }
  }

  /** Logs which indexes replace those in the state. */
  public static void tellSwap(String stage, List<IndexRef> restored, List<IndexRef> configured) {
    Swap swap = swap(restored, configured);
    if (!swap.replacements().isEmpty()) {
      LOG.info(
          "stage {}: swapping {} for {}, as the job file says",
          stage,
          swap.replaced(),
          swap.replacements());
    }
  }

  /** Indexes of the state, and those of the same kinds in the job file that replace them. */
  record Swap(List<IndexRef> replaced, List<IndexRef> replacements) {}

  /**
   * Finds replaced indexes. A subtask may have restored only some of the references, in any order,
   * and none of a stage that was not in the group then. So an index that is only new, or only gone,
   * is no swap.
   */
  static Swap swap(List<IndexRef> restored, List<IndexRef> configured) {
    // the same content elsewhere is the same index
    List<IndexRef> gone = filter(restored, ref -> !has(configured, IndexRef::sha256, ref));
    List<IndexRef> added = filter(configured, ref -> !has(restored, IndexRef::sha256, ref));
    return new Swap(
        filter(gone, ref -> has(added, IndexRef::kind, ref)),
        filter(added, ref -> has(gone, IndexRef::kind, ref)));
  }

  private static List<IndexRef> filter(List<IndexRef> refs, Predicate<IndexRef> condition) {
    return refs.stream().filter(condition).toList();
  }

  private static boolean has(
      List<IndexRef> refs, Function<IndexRef, String> part, IndexRef wanted) {
    return refs.stream().map(part).anyMatch(part.apply(wanted)::equals);
  }

  /** Converts references to records. */
  public static List<IndexReference> toAvro(List<IndexRef> references) {
    List<IndexReference> records = new ArrayList<>();
    for (IndexRef ref : references) {
      records.add(toAvro(ref));
    }
    return records;
  }

  /** Converts index versions by name to the references that batches are stamped with, in order. */
  public static List<StageIndexVersion> stamps(Map<String, IndexVersion> versions) {
    List<StageIndexVersion> references = new ArrayList<>();
    versions.forEach(
        (name, version) ->
            references.add(
                new StageIndexVersion(
                    name,
                    toAvro(version.index()),
                    version.learned().from(),
                    version.learned().to())));
    return references;
  }

  /** The indexes by name, in order. */
  public static Map<String, IndexRef> byName(List<StageIndexVersion> references) {
    Map<String, IndexRef> indexes = new LinkedHashMap<>();
    for (StageIndexVersion one : references) {
      indexes.put(one.getStage(), fromAvro(one.getReference()));
    }
    return indexes;
  }

  /** The reverse of {@link #byName}. */
  public static List<StageIndexVersion> toAvro(Map<String, IndexRef> indexes) {
    List<StageIndexVersion> references = new ArrayList<>();
    indexes.forEach(
        (name, index) -> references.add(new StageIndexVersion(name, toAvro(index), 0L, 0L)));
    return references;
  }

  /** Converts a reference to a record. */
  public static IndexReference toAvro(IndexRef ref) {
    return new IndexReference(ref.kind(), ref.uri().toString(), ref.sha256(), ref.version());
  }

  /**
   * Converts a record to an index reference.
   *
   * @throws IllegalArgumentException if it has no valid URI or SHA-256
   */
  public static IndexRef fromAvro(IndexReference record) {
    return new IndexRef(
        record.getKind(), URI.create(record.getUri()), record.getSha256(), record.getVersion());
  }

  /** Converts records to references. */
  public static List<IndexRef> fromAvro(Iterable<IndexReference> records) {
    List<IndexRef> references = new ArrayList<>();
    for (IndexReference record : records) {
      IndexRef ref = fromAvro(record);
      if (!references.contains(ref)) {
        references.add(ref);
      }
    }
    return references;
  }
}
