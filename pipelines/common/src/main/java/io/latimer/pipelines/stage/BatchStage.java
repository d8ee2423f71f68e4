package io.latimer.pipelines.stage;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.index.IndexRef;
import java.util.List;
import java.util.Map;
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
   * #index}.
   *
   * @return empty if it needs none
   */
  default List<IndexRef> indexRefs() {
    return List.of();
  }

  /** The main index; empty if it has none. */
  default Optional<IndexRef> index() {
    return indexRefs().stream().findFirst();
  }

  /**
   * The indexes that commands may swap, by {@link IndexName}; the main one is first.
   *
   * @return empty if it has none
   */
  default Map<String, IndexRef> indexes() {
    return index().map(main -> Map.of(name(), main)).orElse(Map.of());
  }

  /**
   * An unopened copy of the stage on another version of one of its indexes. This one is unchanged.
   *
   * @param index name of the index, one of {@link #indexes}
   * @param version replaces it, and must be of the same kind
   * @throws OperatorException if it has no such index, or one of another kind, or does not learn
   *     beside it what the version has
   */
  default BatchStage on(String index, IndexVersion version) {
    if (!index.equals(name())) {
      throw new OperatorException("stage " + name() + " has no index " + index);
    }
    if (!version.learned().isEmpty()) {
      throw new OperatorException("stage " + name() + " has learned pairs, but does not learn");
    }
    return on(version.index());
  }

  /**
   * An unopened copy of the stage on another main index. This one is unchanged.
   *
   * @param index replaces its {@link #index}, and must be of the same kind
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
   * The text that it has read from settings files when it was created. Stages with equal settings,
   * indexes and texts behave the same.
   *
   * @return empty if it has read no such file
   */
  default String readSettings() {
    return "";
  }

  /**
   * The number of concurrent batches, each in its own thread, that keep it busy; asked while it is
   * open. More than one if the host prepares a batch while the device processes another; fewer if
   * others use the device, too. A job's {@code batch.in-flight} limits it.
   *
   * @return 1 or more
   */
  default int inFlight() {
    return 1;
  }

  /**
   * The parts of a record that it reads. It sees what earlier stages have written to them, and what
   * these have read; other stages may run concurrently.
   */
  Set<RecordPart> reads();

  /** The parts of a record that its changes write. */
  Set<RecordPart> writes();

  /**
   * Processes a batch. It does not change the records, because an engine may be writing them to a
   * checkpoint.
   *
   * @param batch one record or more, in stream order, none with a failure
   * @return one result per record, in the same order: the changes to it, or why it cannot be
   *     processed
   * @throws OperatorException if the stage can no longer process records
   */
  List<Result<RecordChange>> apply(StageBatch batch);

  /**
   * Tells the stage that a call of {@link #apply} hangs and is abandoned: resources in use by it
   * must not be reused by stages opened later, in any task. The stage is closed if the call ends
   * after all. Safe during calls; does not wait for them.
   */
  default void abandon() {}
}
