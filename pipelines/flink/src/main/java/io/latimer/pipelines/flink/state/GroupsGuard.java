package io.latimer.pipelines.flink.state;

import io.latimer.pipelines.flink.task.UnrecoverableException;
import io.latimer.schemas.Envelope;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Keeps the names of a job's groups in the state, and refuses a state with a group that the job no
 * longer has, because its batches in flight would be lost. It is an operator of the dead letters,
 * which it forwards: every job has that stream, and it carries few records.
 *
 * <p>{@link RestoredState#check} finds out whether there are any such batches, but only if the
 * process that builds the job can read the state. If the cluster itself chooses the checkpoint, as
 * with the Kubernetes operator's last-state, Flink assumes that the job is unchanged, and drops
 * state that has no operator.
 *
 * <p>Every subtask writes all groups, see {@link JobNameState}.
 */
public final class GroupsGuard extends AbstractStreamOperator<Envelope>
    implements OneInputStreamOperator<Envelope, Envelope> {
  private static final long serialVersionUID = 1L;

  private final ArrayList<String> groups;

  /** The checkpoint that was checked when the job was built; 0 if there was none. */
  private final long checked;

  private transient ListState<String> state;

  /**
   * Creates the operator.
   *
   * @param groups uids of the job's groups
   * @param checked number of the checkpoint or savepoint that {@link RestoredState} has checked; 0
   *     if there was none
   */
  public GroupsGuard(Collection<String> groups, long checked) {
    this.groups = new ArrayList<>(new TreeSet<>(groups));
    this.checked = checked;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    state =
        context
            .getOperatorStateStore()
            .getListState(new ListStateDescriptor<>("groups", Types.STRING));
    long restored = context.getRestoredCheckpointId().orElse(0);
    if (checked == 0 || restored != checked) {
      check(restored, state.get());
    }
  }

  private void check(long restored, Iterable<String> before) {
    TreeSet<String> gone = new TreeSet<>();
    before.forEach(gone::add);
    groups.forEach(gone::remove);
    if (!gone.isEmpty()) {
      throw new UnrecoverableException(
          "checkpoint "
              + restored
              + " may have batches in flight of "
              + String.join(", ", gone)
              + ", which the job no longer has, or which now shares the batches of the stage"
              + " before it; they would be lost. Restore it with the old stages and the old"
              + " batch.group. To change them, stop the job with its source drained, and start it"
              + " from that savepoint where it can be read: flink run -s");
    }
  }

  @Override
  public void processElement(StreamRecord<Envelope> element) {
    output.collect(element);
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    state.update(List.copyOf(groups));
  }
}
