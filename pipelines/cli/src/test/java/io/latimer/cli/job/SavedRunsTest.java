package io.latimer.cli.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.cli.command.CommandException;
import io.latimer.pipelines.flink.state.CheckpointFolder;
import io.latimer.pipelines.flink.state.SavedState;
import io.latimer.pipelines.job.JobConfigReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
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
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the next run starts from, whatever the last one left. */
class SavedRunsTest {
  @TempDir Path temporary;
  private Path folder;

  /** A name that looks different in a URI. */
  @BeforeEach
  void makeFolder() throws IOException {
    folder = Files.createDirectory(temporary.resolve("my 100%25 #? state"));
  }

  private CheckpointFolder checkpoints() {
    String yaml =
        "name: news\nsource: {list: {lines: [a]}}\nstages: [identity]\ncheckpoints: {directory: '"
            + folder
            + "'}\n";
    return CheckpointFolder.of(JobConfigReader.read(yaml, "job.yaml", folder)).orElseThrow();
  }

  /** A run that was killed after some checkpoints; returns its folder. */
  private Path killed(boolean fresh, int... ids) throws IOException {
    try (SavedRuns runs = new SavedRuns(checkpoints())) {
      runs.begin(fresh ? SavedRuns.Start.ANEW : runs.next());
      for (int id : ids) {
        save(path(runs).resolve("chk-" + id), id, Optional.empty());
      }
      return path(runs);
    }
  }

  private static Path path(SavedRuns runs) {
    return local(runs.uri());
  }

  /** Where Flink reads and writes what a setting names. */
  private static Path local(String setting) {
    return Path.of(new org.apache.flink.core.fs.Path(setting).getPath());
  }

  private static void save(Path state, long id, Optional<Path> file) throws IOException {
    Files.createDirectories(state);
    OperatorState operator = new OperatorState("source", "source", new OperatorID(1, 2), 1, 128);
    if (file.isPresent()) {
      FileStateHandle handle =
          new FileStateHandle(new org.apache.flink.core.fs.Path(file.get().toUri()), 3);
      operator.putState(
          0,
          OperatorSubtaskState.builder()
              .setManagedOperatorState(
                  StateObjectCollection.singleton(
                      (OperatorStateHandle)
                          new OperatorStreamStateHandle(java.util.Map.of(), handle)))
              .build());
    }
    try (OutputStream out = Files.newOutputStream(state.resolve("_metadata"))) {
      Checkpoints.storeCheckpointMetadata(
          new CheckpointMetadata(
              id,
              List.of(operator),
              List.of(),
              CheckpointProperties.forCheckpoint(CheckpointRetentionPolicy.RETAIN_ON_CANCELLATION)),
          out);
    }
  }

  private Optional<Path> next() throws IOException {
    try (SavedRuns runs = new SavedRuns(checkpoints())) {
      return runs.next().state().map(SavedState::path).map(SavedRunsTest::local);
    }
  }

  @Test
  void aFirstRunBeginsAnew() throws IOException {
    assertThat(next()).isEmpty();
  }

  @Test
  void theNewestCheckpointIsTheOneWithTheHighestNumber() throws IOException {
    Path run = killed(true, 9, 10, 11);
    Files.createDirectories(run.resolve("chk-12")); // was not complete
    assertThat(next()).contains(run.resolve("chk-11"));
  }

  @Test
  void aSavepointIsNewerThanTheCheckpointsBeforeIt() throws IOException {
    Path run = killed(true, 3, 4);
    save(run.resolve("savepoint-1a71be-0"), 5, Optional.empty());
    assertThat(next()).contains(run.resolve("savepoint-1a71be-0"));
  }

  /** Clocks step back, and a run with --fresh counts its checkpoints from 1 again. */
  @Test
  void theLastRunIsKnownWithoutItsTimesAndNumbers() throws IOException {
    killed(true, 500);
    Path last = killed(true, 1);
    Files.setLastModifiedTime(last.resolve("chk-1/_metadata"), FileTime.from(Instant.EPOCH));
    assertThat(next()).contains(last.resolve("chk-1"));
  }

  @Test
  void aRunThatWasKilledBeforeItsFirstCheckpointStartsFromTheSameAgain() throws IOException {
    Path first = killed(true, 7);
    killed(false);
    killed(false);
    assertThat(next()).contains(first.resolve("chk-7"));
  }

  @Test
  void aFreshRunThatWasKilledBeforeItsFirstCheckpointStaysFresh() throws IOException {
    killed(true, 7);
    killed(true);
    assertThat(next()).isEmpty();
  }

  /** A run that began from a state that was named, and was killed before its first checkpoint. */
  private void killedAfterRestoring(Path state) throws IOException {
    try (SavedRuns runs = new SavedRuns(checkpoints())) {
      runs.begin(
          new SavedRuns.Start(Optional.of(SavedRuns.require("file://" + state, List.of())), false));
    }
  }

  @Test
  void aStateThatWasNamedStaysAsItIs() throws IOException {
    Path first = killed(true, 4);
    Path savepoint = first.resolve("savepoint-1a71be-0");
    save(savepoint, 5, Optional.empty());
    for (Path named : List.of(savepoint, first.resolve("chk-4"))) {
      killedAfterRestoring(named);
      for (int i = 0; i < 2; i++) {
        try (SavedRuns runs = new SavedRuns(checkpoints())) {
          SavedRuns.Start start = runs.next();
          assertThat(local(start.state().orElseThrow().path())).isEqualTo(named);
          assertThat(start.claimed()).isFalse();
          runs.begin(start);
        }
      }
    }
    killed(false, 6, 7);
    killed(false, 8);
    killed(false, 9);
    assertThat(first.resolve("chk-4/_metadata")).exists();
    assertThat(savepoint.resolve("_metadata")).exists();
  }

  @Test
  void aRunThatWasStoppedGoesOnFromItsSavepointWhereverThatIs() throws IOException {
    Path elsewhere = folder.resolve("elsewhere/savepoint-1");
    Path kept = killed(true, 7);
    for (boolean own : new boolean[] {false, true}) {
      Path savepoint;
      try (SavedRuns runs = new SavedRuns(checkpoints())) {
        runs.begin(SavedRuns.Start.ANEW);
        savepoint = own ? path(runs).resolve("savepoint-1") : elsewhere;
        save(savepoint, 2, Optional.empty());
        runs.stopped("file:" + savepoint);
      }
      try (SavedRuns runs = new SavedRuns(checkpoints())) {
        SavedRuns.Start start = runs.next();
        assertThat(start.state().map(SavedState::path).map(SavedRunsTest::local))
            .contains(savepoint);
        assertThat(start.claimed()).isEqualTo(own);
      }
    }
    assertThat(kept.resolve("chk-7/_metadata")).exists();
  }

  /** Flink deletes the checkpoints when the source has ended; the process was killed just then. */
  @Test
  void aRunThatEndedAndWasKilledBeforeItSaidSoIsNotCalledDamaged() throws IOException {
    Path first = killed(true, 7);
    killed(false);
    Files.delete(first.resolve("chk-7/_metadata"));
    Files.delete(first.resolve("chk-7"));
    assertThatThrownBy(this::next)
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("has probably come to the end of its source")
        .hasMessageContaining("/chk-7")
        .hasMessageEndingWith("--fresh begins without a state.");
  }

  @Test
  void checkpointsBeforeTheRunThatIsResumedAreDeleted() throws IOException {
    Path first = killed(true, 4, 5);
    Path second = killed(false, 6, 7);
    assertThat(first.resolve("chk-4")).as("the one before is there").exists();
    Path needed = Files.createDirectories(second.resolve("shared")).resolve("needed");
    Files.writeString(needed, "abc");
    Path third = killed(false);
    assertThat(first).doesNotExist();
    assertThat(second.resolve("chk-6")).exists();
    save(third.resolve("chk-8"), 8, Optional.of(needed));
    Path fourth = killed(false);
    assertThat(second.resolve("chk-7")).doesNotExist();
    assertThat(needed).as("an incremental checkpoint refers to it").exists();
    save(fourth.resolve("chk-9"), 9, Optional.empty());
    killed(false);
    assertThat(second).doesNotExist();
    assertThat(next()).contains(fourth.resolve("chk-9"));
  }

  /** Whoever begins anew by mistake can go back. */
  @Test
  void aFreshRunDeletesNoCheckpoints() throws IOException {
    Path first = killed(true, 4, 5);
    Path second = killed(false, 6);
    killed(true, 1);
    assertThat(first.resolve("chk-4")).exists();
    assertThat(second.resolve("chk-6")).exists();
  }

  @Test
  void afterTheEndOfItsSourceAJobBeginsAnew() throws IOException {
    Path killed = killed(true, 7, 8);
    Path kept = killed.resolve("savepoint-1a71be-0");
    Path last;
    try (SavedRuns runs = new SavedRuns(checkpoints())) {
      runs.begin(runs.next());
      save(kept, 1, Optional.empty());
      runs.end();
      Files.createDirectories(path(runs).resolve("chk-9"));
      last = path(runs);
    }
    assertThat(last.resolve("chk-9")).as("one that was being written").doesNotExist();
    assertThat(next()).isEmpty();
    assertThat(killed.resolve("chk-8")).doesNotExist();
    assertThat(kept).as("a savepoint is for the user to delete").exists();
  }

  @Test
  void foldersOfRunsThatNothingNeedsAreDeleted() throws IOException {
    Path first = killed(true, 7);
    Path second = killed(false, 8);
    Files.delete(first.resolve("chk-7/_metadata"));
    Files.delete(first.resolve("chk-7"));
    killed(false, 9); // from 8, which is still needed
    assertThat(first).doesNotExist();
    assertThat(second).exists();
  }

  @Test
  void aCheckpointOfAJobOnAClusterIsTakenIfItIsTheNewest() throws IOException {
    Path run = killed(true, 7);
    Path cluster = folder.resolve("news/00112233445566778899aabbccddeeff/chk-2");
    save(cluster, 2, Optional.empty());
    Instant now = Files.getLastModifiedTime(run.resolve("chk-7/_metadata")).toInstant();
    Files.setLastModifiedTime(cluster.resolve("_metadata"), FileTime.from(now.plusSeconds(60)));
    assertThat(next()).contains(cluster);
    Files.setLastModifiedTime(cluster.resolve("_metadata"), FileTime.from(now.minusSeconds(60)));
    assertThat(next()).contains(run.resolve("chk-7"));
  }

  @Test
  void damagedMetadataIsRefusedAndTheCheckpointBeforeItIsNamed() throws IOException {
    Path run = killed(true, 7, 8);
    byte[] whole = Files.readAllBytes(run.resolve("chk-8/_metadata"));
    for (int length = 0; length < whole.length; length += 5) {
      Files.write(run.resolve("chk-8/_metadata"), java.util.Arrays.copyOf(whole, length));
      assertThatThrownBy(this::next)
          .isInstanceOf(CommandException.class)
          .hasMessageContaining("/chk-8")
          .hasMessageContaining("--restore file:" + run.resolve("chk-7"))
          .hasMessageEndingWith("--fresh begins without a state.");
    }
  }

  @Test
  void aCheckpointWithAMissingOrShortFileIsRefused() throws IOException {
    Path run = killed(true);
    Path file = Files.writeString(folder.resolve("state"), "abc");
    save(run.resolve("chk-3"), 3, Optional.of(file));
    assertThat(next()).contains(run.resolve("chk-3"));
    Files.writeString(file, "ab");
    assertThatThrownBy(this::next)
        .hasMessageContaining("chk-3 is damaged: ")
        .hasMessageContaining(file + " is missing or too short; --fresh");
    Files.delete(file);
    assertThatThrownBy(this::next).hasMessageContaining("chk-3 is damaged: ");
  }

  @Test
  void aJobThatRunsIsNotStartedTwice() throws IOException {
    try (SavedRuns runs = new SavedRuns(checkpoints())) {
      assertThat(runs.next().state()).isEmpty();
      assertThatThrownBy(() -> new SavedRuns(checkpoints()))
          .isInstanceOf(CommandException.class)
          .hasMessageContaining("is running already");
    }
    assertThat(next()).isEmpty();
  }
}
