package io.latimer.pipelines.flink.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.flink.task.UnrecoverableException;
import io.latimer.schemas.Envelope;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

class GroupsGuardTest {
  private static final int CHECKPOINT = 7;
  private static final Set<String> GROUPS = Set.of("stage-a", "stage-b");

  private static OneInputStreamOperatorTestHarness<Envelope, Envelope> harness(
      Set<String> groups, long checked, int subtasks, int subtask) throws Exception {
    return new OneInputStreamOperatorTestHarness<>(
        new GroupsGuard(groups, checked), 4, subtasks, subtask);
  }

  private static OperatorSubtaskState state(int subtasks) throws Exception {
    List<OperatorSubtaskState> all = new ArrayList<>();
    for (int subtask = 0; subtask < subtasks; subtask++) {
      var harness = harness(GROUPS, 0, subtasks, subtask);
      harness.open();
      harness.snapshot(1, 1);
      all.add(harness.snapshot(CHECKPOINT, 2));
      harness.close();
    }
    return AbstractStreamOperatorTestHarness.repackageState(
        all.toArray(OperatorSubtaskState[]::new));
  }

  private static void restore(OperatorSubtaskState state, Set<String> groups, long checked)
      throws Exception {
    var harness = harness(groups, checked, 1, 0);
    try {
      harness.setRestoredCheckpointId(CHECKPOINT);
      harness.initializeState(state);
      harness.open();
    } finally {
      harness.close();
    }
  }

  @Test
  void aGroupThatIsGoneMayHaveHadBatches() throws Exception {
    OperatorSubtaskState state = state(1);
    assertThatThrownBy(() -> restore(state, Set.of("stage-a"), 0))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageStartingWith("checkpoint 7 may have batches in flight of stage-b, which")
        .hasMessageContaining("flink run -s");
    assertThatThrownBy(() -> restore(state, Set.of("stage-a"), CHECKPOINT - 1))
        .as("an older state was checked")
        .isInstanceOf(UnrecoverableException.class);
  }

  @Test
  void groupsMayStayAndMayBeAdded() throws Exception {
    restore(state(1), GROUPS, 0);
    restore(state(1), Set.of("stage-c", "stage-b", "stage-a"), 0);
  }

  /** It had no batches in flight. */
  @Test
  void aGroupOfAStateThatWasCheckedMayGo() throws Exception {
    restore(state(1), Set.of("stage-a"), CHECKPOINT);
  }

  @Test
  void someSubtaskSeesEachGroupAfterRescaling() throws Exception {
    OperatorSubtaskState of2 = state(2);
    int refused = 0;
    for (int subtask = 0; subtask < 3; subtask++) {
      var harness = harness(Set.of("stage-a"), 0, 3, subtask);
      harness.setRestoredCheckpointId(CHECKPOINT);
      try {
        harness.initializeState(
            AbstractStreamOperatorTestHarness.repartitionOperatorState(of2, 4, 2, 3, subtask));
      } catch (UnrecoverableException e) {
        refused++;
      } finally {
        harness.close();
      }
    }
    assertThat(refused).isPositive();
  }
}
