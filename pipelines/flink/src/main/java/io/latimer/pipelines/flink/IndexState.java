package io.latimer.pipelines.flink;

import io.latimer.operators.index.IndexRef;
import io.latimer.schemas.IndexReference;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the index references in a job's state with those in its job file on a restart.
 *
 * <ul>
 *   <li>The same path and the same content: the job continues.
 *   <li>The same path, but other content than in the state: refused, unless the job file gives the
 *       SHA-256 of the new content. An overwritten file must not change translations silently.
 *   <li>Another path: the job file requests another index (or the same one elsewhere), which is
 *       used.
 * </ul>
 */
final class IndexState {
  private static final Logger LOG = LoggerFactory.getLogger(IndexState.class);

  private IndexState() {}

  /**
   * Compares the references.
   *
   * @param stage name of the stage, for messages
   * @param restored the references in the state; empty on a first start
   * @param configured the references of the job file
   * @param pinned whether the job file gives the SHA-256 of the content
   * @throws UnrecoverableException if the content of a file changed under the job
   */
  static void check(
      String stage, List<IndexRef> restored, List<IndexRef> configured, boolean pinned) {
    for (IndexRef was : restored) {
      for (IndexRef is : configured) {
        if (!was.uri().equals(is.uri()) || was.sha256().equals(is.sha256())) {
          continue;
        }
        if (!pinned) {
          throw new UnrecoverableException(
              "stage "
                  + stage
                  + ": "
                  + is.uri()
                  + " changed under the job: expected sha256 "
                  + was.sha256()
                  + " as in the job's state, found "
                  + is.sha256()
                  + "; restore the old file, or set the new sha256 in the job file to swap it");
        }
      }
    }
    if (!restored.isEmpty() && !restored.equals(configured)) {
      LOG.info("stage {}: swapping {} for {}, as the job file says", stage, restored, configured);
    }
  }

  static List<IndexReference> toAvro(List<IndexRef> references) {
    List<IndexReference> records = new ArrayList<>();
    for (IndexRef ref : references) {
      records.add(
          new IndexReference(ref.kind(), ref.uri().toString(), ref.sha256(), ref.version()));
    }
    return records;
  }

  static List<IndexRef> fromAvro(Iterable<IndexReference> records) {
    List<IndexRef> references = new ArrayList<>();
    for (IndexReference record : records) {
      IndexRef ref =
          new IndexRef(
              record.getKind(),
              URI.create(record.getUri()),
              record.getSha256(),
              record.getVersion());
      if (!references.contains(ref)) {
        references.add(ref);
      }
    }
    return references;
  }
}
