package io.latimer.pipelines.flink;

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
 * Has the groups of a job in the state, and refuses the state of a job with a group that is gone,
 * because its batches in flight would be lost. It passes on dead letters, because every job has a
 * place for these, and they are few.
 *
 * <p>{@link RestoredState#check} sees whether there are any such batches, but only in a state that
 * the process can read that builds the job. If the cluster itself chooses the checkpoint, as for
 * the Kubernetes operator's last-state, Flink takes the job for unchanged, and drops what it does
 * not have.
 *
 * <p>Every subtask writes all groups, see {@link JobNameState}.
 */
final class GroupsGuard extends AbstractStreamOperator<Envelope>
    implements OneInputStreamOperator<Envelope, Envelope> {
  private static final long serialVersionUID = 1L;

  private final ArrayList<String> groups;

  /** The checkpoint that was checked when the job was built; 0 if there was none. */
  private final long checked;

  private transient ListState<String> state;

  /**
   * Makes the operator.
   *
   * @param groups uids of those of the job
   * @param checked number of the checkpoint or savepoint that {@link RestoredState} has checked; 0
   *     if there was none
   */
  GroupsGuard(Collection<String> groups, long checked) {
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
