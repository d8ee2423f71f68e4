package io.latimer.pipelines.flink.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfigReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.OptionalLong;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobInfo;
import org.apache.flink.api.common.JobInfoImpl;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.connector.sink2.InitContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointFolderTest {
  @TempDir Path temporary;

  private CheckpointFolder folder(String directory, String name) {
    String yaml =
        "name: '%s'\nsource: {list: {lines: [a]}}\nstages: [identity]\ncheckpoints: {directory: '%s'}\n"
            .formatted(name, directory);
    return CheckpointFolder.of(JobConfigReader.read(yaml, "job.yaml", temporary)).orElseThrow();
  }

  /** Flink does not decode its settings. */
  @Test
  void flinkWritesWhereLatimerLooks() {
    for (String name : new String[] {"my state", "100%", "a%20b", "a#b", "a?b"}) {
      CheckpointFolder folder = folder(name, "news");
      String expected = temporary.resolve(name).resolve("news").toString();
      assertThat(folder.path().getPath()).isEqualTo(expected);
      assertThat(new org.apache.flink.core.fs.Path(folder.uri()).getPath()).isEqualTo(expected);
      String local = CheckpointFolder.localUri(temporary.resolve(name).resolve("."));
      assertThat(new org.apache.flink.core.fs.Path(local).getPath())
          .isEqualTo(temporary.resolve(name).toString());
    }
  }

  @Test
  void whatIsSpecialInANameIsEscaped() {
    assertThat(folder("state", "a/b=c").path().getName()).isEqualTo("a=2Fb=3Dc");
    assertThat(folder("state", "..").path().getName()).isEqualTo("=2E.");
  }

  @Test
  void aLongNameFitsAFileSystem() throws IOException {
    String name = "\u7ffb".repeat(80);
    Path first = local(folder("state", name));
    Path second = local(folder("state", name + "\u8a33"));
    assertThat(first).isNotEqualTo(second);
    for (Path path : new Path[] {first, second}) {
      Files.createDirectories(path); // some file systems encrypt names, which lengthens them
      assertThat(path.getFileName().toString().getBytes(StandardCharsets.UTF_8))
          .hasSizeLessThan(200);
    }
    assertThat(local(folder("state", "n".repeat(200))).getFileName()).hasToString("n".repeat(200));
  }

  @Test
  void aStartWithoutStateIsNoted() throws IOException {
    CheckpointFolder folder = folder("state", "news");
    Path state = Files.createDirectories(local(folder).resolve("run/chk-1"));
    Path metadata = Files.createFile(state.resolve("_metadata"));
    org.apache.flink.core.fs.Path flink = new org.apache.flink.core.fs.Path(state.toUri());
    assertThat(folder.startedWithoutStateSince(flink)).isFalse();

    for (int start = 0; start < 2; start++) {
      folder.startsWithoutState();
      Files.setLastModifiedTime(metadata, FileTime.from(Instant.now().plusSeconds(10)));
      assertThat(folder.startedWithoutStateSince(flink)).isFalse();
      Files.setLastModifiedTime(metadata, FileTime.from(Instant.now().minusSeconds(10)));
      assertThat(folder.startedWithoutStateSince(flink)).isTrue();
    }
  }

  /** A task knows the number of the checkpoint that the cluster has chosen, but not its path. */
  @Test
  void aTaskFindsOutWhetherACheckpointIsOlderThanAStartWithoutState() throws IOException {
    CheckpointFolder folder = folder("state", "news");
    JobID run = new JobID();
    JobID other = new JobID();
    Path metadata = checkpoint(folder, run, 5);
    assertThat(RestoredState.suspects(context(run, OptionalLong.of(5)), folder))
        .as("no start was noted")
        .isZero();
    folder.startsWithoutState();
    assertThat(RestoredState.suspects(context(run, OptionalLong.of(5)), folder)).isEqualTo(5);
    assertThat(RestoredState.suspects(context(other, OptionalLong.of(5)), folder))
        .as("restored from another run")
        .isEqualTo(5);
    assertThat(RestoredState.suspects(context(run, OptionalLong.of(6)), folder)).isZero();
    assertThat(RestoredState.suspects(context(run, OptionalLong.empty()), folder)).isZero();
    assertThat(RestoredState.suspects(context(run, OptionalLong.of(5)), null)).isZero();

    Files.setLastModifiedTime(metadata, FileTime.from(Instant.now().plusSeconds(10)));
    assertThat(RestoredState.suspects(context(run, OptionalLong.of(5)), folder)).isZero();
    checkpoint(folder, other, 5);
    assertThat(RestoredState.suspects(context(run, OptionalLong.of(5)), folder))
        .as("that of the run itself counts")
        .isZero();
    assertThat(RestoredState.suspects(context(other, OptionalLong.of(5)), folder)).isEqualTo(5);
  }

  /** Completed before all that happens in the test. */
  private static Path checkpoint(CheckpointFolder folder, JobID run, long number)
      throws IOException {
    Path state =
        Files.createDirectories(local(folder).resolve(run.toHexString()).resolve("chk-" + number));
    Path metadata = Files.createFile(state.resolve("_metadata"));
    return Files.setLastModifiedTime(metadata, FileTime.from(Instant.now().minusSeconds(10)));
  }

  private static InitContext context(JobID run, OptionalLong restored) {
    return new InitContext() {
      @Override
      public OptionalLong getRestoredCheckpointId() {
        return restored;
      }

      @Override
      public JobInfo getJobInfo() {
        return new JobInfoImpl(run, "news");
      }

      @Override
      public TaskInfo getTaskInfo() {
        throw new AssertionError("it does not depend on the task");
      }
    };
  }

  private static Path local(CheckpointFolder folder) {
    return Path.of(folder.path().getPath());
  }
}
