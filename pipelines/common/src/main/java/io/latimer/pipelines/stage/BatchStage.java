package io.latimer.pipelines.stage;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.index.IndexRef;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A stage that processes batches of records and passes them on. */
public non-sealed interface BatchStage extends Stage {

  /**
   * The kind of stage, such as {@code score}. If no stage has translated a record, its translation
   * names the kind of the first stage instead of a model.
   */
  String kind();

  /**
   * The indexes that it loads; a job's state contains these references. The first is {@link
   * #index}, the others stay as the job file says.
   *
   * @return empty if it needs none
   */
  default List<IndexRef> indexRefs() {
    return List.of();
  }

  /** The index that commands may swap, and beside which a stage learns; empty if it has none. */
  default Optional<IndexRef> index() {
    return indexRefs().stream().findFirst();
  }

  /**
   * The same stage on another index, not open. This one stays as it is.
   *
   * @param index of the same kind as its {@link #index}, in whose place it is used
   * @throws OperatorException if it has no index, or one of another kind
   */
  default BatchStage on(IndexRef index) {
    throw new OperatorException("stage " + name() + " has no index");
  }

  /**
   * Whether the job file gives the SHA-256 of one of its indexes, and so allows content that
   * differs from the one in the job's state.
   */
  default boolean pinned(IndexRef index) {
    return false;
  }

  /**
   * What it has read from files of settings when it was made, as text. Stages whose settings,
   * indexes and this are the same work alike.
   *
   * @return empty if it has read none
   */
  default String readSettings() {
    return "";
  }

  /**
   * How many batches keep it busy, each in a thread of its own; asked while it is open. More than
   * one where a device works on one batch while the host prepares another; fewer where others use
   * the device, too. A job's {@code batch.in-flight} bounds how many there are.
   *
   * @return 1 or more
   */
  default int inFlight() {
    return 1;
  }

  /**
   * The parts of a record that it reads. It sees what the earlier stages that write one of them
   * have written, and whatever these have read; other stages may work at the same time.
   */
  Set<RecordPart> reads();

  /** The parts of a record that its changes write. */
  Set<RecordPart> writes();

  /**
   * Processes a batch. It does not change the records, because an engine may be writing them to a
   * checkpoint.
   *
   * @param batch one record or more, in stream order, none with a failure
   * @return one result per record, in the same order: what changes in it, or why it cannot be
   *     processed
   * @throws OperatorException if the stage can no longer process records
   */
  List<Result<RecordChange>> apply(StageBatch batch);

  /**
   * Tells the stage that a call of {@link #apply} hangs and is given up: what hangs must not be
   * handed to stages that are opened later, in any task. The stage is closed if the call ends after
   * all. Safe during calls; does not wait for them.
   */
  default void abandon() {}
}
