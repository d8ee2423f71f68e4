package io.latimer.pipelines.flink;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.CheckpointRetentionPolicy;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/** Metadata of checkpoints that no job has written. */
final class SavedStates {
  private SavedStates() {}

  /**
   * Writes checkpoint 5, with a list in the state of one operator.
   *
   * @param checkpoint its folder, which is made
   * @param uid the operator's
   * @param entries the length of the list in each subtask
   * @return the folder
   */
  static Path write(Path checkpoint, String uid, String list, int... entries) throws IOException {
    OperatorState operator = new OperatorState(uid, uid, new OperatorID(1, 2), entries.length, 128);
    for (int i = 0; i < entries.length; i++) {
      OperatorStateHandle handle =
          new OperatorStreamStateHandle(
              Map.of(
                  list,
                  new OperatorStateHandle.StateMetaInfo(
                      new long[entries[i]], OperatorStateHandle.Mode.SPLIT_DISTRIBUTE)),
              new ByteStreamStateHandle("state", new byte[1]));
      operator.putState(
          i,
          OperatorSubtaskState.builder()
              .setManagedOperatorState(StateObjectCollection.singleton(handle))
              .build());
    }
    Files.createDirectories(checkpoint);
    try (OutputStream out = Files.newOutputStream(checkpoint.resolve("_metadata"))) {
      Checkpoints.storeCheckpointMetadata(
          new CheckpointMetadata(
              5,
              List.of(operator),
              List.of(),
              CheckpointProperties.forCheckpoint(CheckpointRetentionPolicy.RETAIN_ON_CANCELLATION)),
          out);
    }
    return checkpoint;
  }
}
