package io.latimer.pipelines.flink.state;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.apache.flink.runtime.checkpoint.filemerging.LogicalFile;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.filemerging.SegmentFileStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SavedStateFilesTest {
  @TempDir Path folder;

  /** A checkpoint whose operators share one file. */
  private SavedState merged(Path file, int... ends) throws IOException {
    OperatorState operator =
        new OperatorState("source", "source", new OperatorID(1, 2), ends.length, 128);
    for (int i = 0; i < ends.length; i++) {
      OperatorStateHandle handle =
          new OperatorStreamStateHandle(
              Map.of(),
              new SegmentFileStateHandle(
                  new org.apache.flink.core.fs.Path(file.toUri()),
                  ends[i] - 3,
                  3,
                  CheckpointedStateScope.EXCLUSIVE,
                  LogicalFile.LogicalFileId.generateRandomId()));
      operator.putState(
          i,
          OperatorSubtaskState.builder()
              .setManagedOperatorState(StateObjectCollection.singleton(handle))
              .build());
    }
    try (OutputStream out = Files.newOutputStream(folder.resolve("_metadata"))) {
      Checkpoints.storeCheckpointMetadata(
          new CheckpointMetadata(
              5,
              List.of(operator),
              List.of(),
              CheckpointProperties.forCheckpoint(CheckpointRetentionPolicy.RETAIN_ON_CANCELLATION)),
          out);
    }
    return SavedState.read(folder.toString());
  }

  @Test
  void aFileOfSeveralSegmentsMustHaveTheLast() throws IOException {
    Path file = Files.writeString(folder.resolve("merged"), "123456789");
    assertThat(merged(file, 3, 9, 6).missingFiles()).isEmpty();
    Files.writeString(file, "12345678");
    assertThat(merged(file, 3, 9, 6).missingFiles()).hasSize(1);
    assertThat(merged(file, 3, 6).missingFiles()).isEmpty();
    Files.delete(file);
    assertThat(merged(file, 3, 9, 6).missingFiles()).hasSize(1);
  }

  @Test
  void itRefersToTheFoldersOfItsFiles() throws IOException {
    SavedState state = merged(folder.resolve("shared/0/merged"), 3);
    assertThat(state.refersTo(flink("shared"))).isTrue();
    assertThat(state.refersTo(flink("shared/0"))).isTrue();
    assertThat(state.refersTo(flink("share"))).isFalse();
    assertThat(state.refersTo(flink("chk-1"))).isFalse();
  }

  private org.apache.flink.core.fs.Path flink(String child) {
    return new org.apache.flink.core.fs.Path(folder.resolve(child).toUri());
  }
}
