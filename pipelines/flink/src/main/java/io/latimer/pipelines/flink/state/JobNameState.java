package io.latimer.pipelines.flink.state;

import io.latimer.pipelines.flink.task.UnrecoverableException;
import io.latimer.schemas.JobIdentity;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;

/**
 * The job's name in its state. State of another job is refused: its transactions and consumer group
 * have the other name, so records would be lost or duplicated.
 *
 * <p>Every subtask writes the name, because a subtask that has finished has no state. It is
 * split-distributed list state, because Flink takes no checkpoints with union state once some
 * subtasks have finished.
 */
public final class JobNameState {
  private final ListState<JobIdentity> state;
  private final String job;

  private JobNameState(ListState<JobIdentity> state, String job) {
    this.state = state;
    this.job = job;
  }

  /**
   * Restores and checks the name.
   *
   * @throws UnrecoverableException if the state belongs to a job with another name
   */
  public static JobNameState restore(OperatorStateStore store, String job) throws Exception {
    ListState<JobIdentity> state =
        store.getListState(new ListStateDescriptor<>("job", new AvroTypeInfo<>(JobIdentity.class)));
    for (JobIdentity restored : state.get()) {
      if (!restored.getName().equals(job)) {
        throw new UnrecoverableException(
            "the checkpoint or savepoint belongs to job "
                + restored.getName()
                + ", but this job is "
                + job
                + "; restore one of its own, or give the job its old name");
      }
    }
    return new JobNameState(state, job);
  }

  /** Writes the name; call this at each snapshot. */
  public void write() throws Exception {
    state.update(List.of(new JobIdentity(job)));
  }
}
