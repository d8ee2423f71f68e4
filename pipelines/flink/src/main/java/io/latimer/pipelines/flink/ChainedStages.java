package io.latimer.pipelines.flink;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.stage.IndexVersion;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.functions.RuntimeContext;

/**
 * The stages of a subtask, as the gatherer before them sees them. The two are operators of one
 * chain, and so in one process and thread, but Flink makes them apart from each other: they meet
 * here.
 */
interface ChainedStages {
  /** A stage that is open on another index than the one in use. Closing it drops it. */
  interface Prepared extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Opens the stages.
   *
   * @param indexes by the names of stages; the others have none
   * @throws UnrecoverableException if one is not the one referred to
   */
  void open(Map<String, IndexVersion> indexes) throws Exception;

  /**
   * Opens a stage on another index, beside the one in use. Takes as long as that; for a thread of
   * its own.
   *
   * @throws io.latimer.operators.OperatorException if it cannot be opened
   */
  Prepared prepare(String stage, IndexVersion index);

  /**
   * Lets later batches use what was prepared.
   *
   * @return what they used before, to be closed; that waits for no batch, and may take some time
   */
  Prepared use(Prepared prepared);

  /**
   * Aligns the words of a sentence pair with the index file of a stage that learns; see {@link
   * io.latimer.pipelines.stage.LearningStage#align}. For a thread of its own.
   *
   * @param index in use
   */
  LearnedPair align(String stage, IndexVersion index, LearnedPair pair);

  /**
   * Tells which pairs a stage has learned, before it is to use them.
   *
   * @param pairs all that batches may be stamped with; later ones only add to these, or drop the
   *     first ones
   * @throws UnrecoverableException if a restored batch needs pairs from before these
   */
  void learned(String stage, LearnedPairs pairs);

  /**
   * Tells that the pairs of all restored batches are known: the commands that were pending when
   * they were written are decided. Batches that use others fail the task.
   *
   * @throws UnrecoverableException if one of them does
   */
  void allLearned();

  /**
   * The smallest number of a learned pair that batches in the state are stamped with for a stage:
   * those that are worked on, and those whose results wait to be emitted. {@link Long#MAX_VALUE} if
   * there is none.
   */
  long firstPairInFlight(String stage);

  /** Whether restored batches wait for pairs that are not known yet. In the task's thread. */
  boolean awaitPairs();

  /** Number of batches in the state, which may be more than usual after a restore. */
  int batchesInFlight();

  /**
   * Whether another batch would wait: all threads have one, or one waits for its turn in a stage.
   * For any thread.
   */
  boolean areBusy();

  /**
   * Says what to do each time a batch is done, in the thread that has worked on it; it does not
   * make them busy any more.
   */
  void whenDone(Runnable action);

  /**
   * Writes an index and learned pairs to a new index file; see {@link
   * io.latimer.pipelines.stage.LearningStage#compact}. For a thread of its own.
   */
  IndexRef compact(
      String stage, IndexVersion index, String folder, String writer, BuildProgress progress);

  /** The stages of the open subtasks of this process. */
  Map<Key, ChainedStages> OPEN = new ConcurrentHashMap<>();

  /** A subtask of a group in one attempt. */
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
