package io.latimer.pipelines.stage;

import io.latimer.schemas.Translation;

/**
 * The change that a stage makes to a record. It is applied to drafts: private copies of the
 * record's translation.
 *
 * <p>A change may be applied several times, each time to another draft: for the later stages of a
 * group that read it, and for the result. Not all of these drafts have the changes of stages that
 * this one does not read. So a change writes only what its stage {@linkplain BatchStage#writes
 * declares}, is deterministic, and all computing is done before it is created.
 */
@FunctionalInterface
public interface RecordChange {

  /**
   * Applies the change to a draft.
   *
   * @param draft its lists and other values are shared with other records, so replace them instead
   *     of changing them; see {@link StageBatch#append}
   */
  void apply(Translation draft);
}
