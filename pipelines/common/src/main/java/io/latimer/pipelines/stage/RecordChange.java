package io.latimer.pipelines.stage;

import io.latimer.schemas.Translation;

/**
 * What a stage adds to a record. It changes drafts: copies of the record's translation that nothing
 * else sees.
 *
 * <p>A change may be applied several times, each time to another draft: for the later stages of a
 * group that read it, and for the result. Not all of these drafts have the changes of stages that
 * this one does not read. So a change only writes what its stage {@linkplain BatchStage#writes
 * says}, always the same, and does the work before it is made.
 */
@FunctionalInterface
public interface RecordChange {

  /**
   * Changes a draft.
   *
   * @param draft its lists and other values are shared with other records, so that they are
   *     replaced instead of changed; see {@link StageBatch#append}
   */
  void apply(Translation draft);
}
