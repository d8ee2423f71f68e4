package io.latimer.pipelines.flink.batch;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import io.latimer.pipelines.stage.IndexName;
import io.latimer.pipelines.stage.IndexVersion;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.functions.RuntimeContext;

/**
 * The stages of a subtask, as the gatherer before them sees them. The two are operators of one
 * chain, so they share a process and a thread, but Flink creates them separately: they find each
 * other here.
 */
public interface ChainedStages {
  /** A stage that is open on another index than the one in use. Closing it discards it. */
  interface Prepared extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Opens the stages.
   *
   * @param indexes by {@link IndexName}, all that commands may swap
   * @throws UnrecoverableException if the content of one does not match its reference
   */
  void open(Map<String, IndexVersion> indexes) throws Exception;

  /**
   * Opens a stage on another version of one of its indexes, and the others in use, beside the stage
   * in use. Blocks until it is open, so call it in a separate thread.
   *
   * @param index name of the index
   * @throws io.latimer.operators.OperatorException if it cannot be opened
   */
  Prepared prepare(String index, IndexVersion version);

  /**
   * Switches later batches to what was prepared.
   *
   * @return what they used before, to be closed; closing may take some time, but waits for no batch
   */
  Prepared use(Prepared prepared);

  /**
   * Aligns the words of a sentence pair with the index file of a stage that learns; see {@link
   * io.latimer.pipelines.stage.LearningStage#align}. Call it in a separate thread.
   *
   * @param index name of the index
   * @param version in use
   */
  LearnedPair align(String index, IndexVersion version, LearnedPair pair);

  /**
   * Translates texts on the versions in use, like records without language and headers. Waits for a
   * turn among the batches, so call it in a separate thread.
   *
   * @param stage its name
   * @param patience maximum time
   * @return a translation for each text, in order, empty if it cannot be translated; none at all if
   *     the stage does not translate
   * @throws io.latimer.operators.OperatorException if the stages fail, or there is no result in
   *     time
   */
  List<String> translate(String stage, List<String> texts, Duration patience);

  /**
   * Sets the pairs that a stage has learned beside an index, before batches use them.
   *
   * @param index name of the index
   * @param pairs all that batches may be stamped with; later ones only add to these, or drop the
   *     first ones
   * @throws UnrecoverableException if a restored batch needs pairs from before these
   */
  void learned(String index, LearnedPairs pairs);

  /**
   * Signals that the pairs of all restored batches are known, because all restored commands are
   * decided. Batches with unknown pairs fail the task.
   *
   * @throws UnrecoverableException if there is such a batch
   */
  void allLearned();

  /**
   * The smallest pair number that any batch in the state is stamped with for an index, including
   * batches whose results wait to be emitted; {@link Long#MAX_VALUE} if there is none.
   *
   * @param index its name
   */
  long firstPairInFlight(String index);

  /** Whether restored batches wait for unknown pairs. Called in the task's thread. */
  boolean hasBatchesWithoutPairs();

  /** Number of batches in the state; may exceed the usual limit after a restore. */
  int batchesInFlight();

  /**
   * Whether another batch would have to wait: all threads are busy, or a batch waits for its turn
   * in a stage. Any thread may call this.
   */
  boolean areBusy();

  /**
   * Sets a callback for each batch that is done. It runs in the thread that processed the batch,
   * which no longer counts in {@link #areBusy}.
   */
  void whenDone(Runnable action);

  /**
   * Writes an index and learned pairs to a new index file; see {@link
   * io.latimer.pipelines.stage.LearningStage#compact}. Call it in a separate thread.
   *
   * @param index name of the index
   */
  IndexRef compact(
      String index, IndexVersion version, String folder, String writer, BuildProgress progress);

  /** The stages of the open subtasks of this process. */
  Map<Key, ChainedStages> OPEN = new ConcurrentHashMap<>();

  /** Identifies one attempt of a subtask of a group. */
  record Key(JobID job, String group, int subtask, int attempt) {
    static Key of(RuntimeContext context, String group) {
      return new Key(
          context.getJobInfo().getJobId(),
          group,
          context.getTaskInfo().getIndexOfThisSubtask(),
          context.getTaskInfo().getAttemptNumber());
    }
  }
}
