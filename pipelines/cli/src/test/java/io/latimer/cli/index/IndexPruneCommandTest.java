package io.latimer.cli.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import io.latimer.operators.index.IndexRefs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With savepoints of a released version. */
final class IndexPruneCommandTest {
  private static final Path SAVED =
      Path.of(System.getProperty("latimer.root"), "pipelines/flink/src/test/resources/savepoints");

  @TempDir private Path folder;
  private Path checkpoints;
  private Path published;
  private Path job;
  private Path needed;
  private Path superseded;

  @BeforeEach
  void write() throws IOException {
    checkpoints = Files.createDirectories(folder.resolve("state/job/run/chk-7"));
    Files.copy(SAVED.resolve("0.1.0/score/_metadata"), checkpoints.resolve("_metadata"));
    published = Files.createDirectories(folder.resolve("published"));
    needed = publish("score.llm", ".llm");
    superseded = publish("phrases.lpx", ".lpx");
    job = folder.resolve("job.yaml");
    write("");
  }

  private void write(String end) throws IOException {
    Files.writeString(
        job,
        """
        source: {list: {lines: []}}
        stages: [{estimate: {folder: published, sinks: [print: {}]}}]
        sinks: [{print: {}}]
        checkpoints: {directory: state}
        """
            + end);
  }

  private Path publish(String index, String ending) throws IOException {
    Path from = SAVED.resolve("indexes").resolve(index);
    return aged(Files.copy(from, published.resolve(IndexRefs.of(from).sha256() + ending)));
  }

  private static Path aged(Path file) throws IOException {
    return Files.setLastModifiedTime(
        file, FileTime.from(Instant.now().minus(Duration.ofHours(25))));
  }

  private Run prune(String... more) {
    List<String> args = new ArrayList<>(List.of("index", "prune", "--config=" + job));
    args.addAll(List.of(more));
    return Run.of(args.toArray(String[]::new));
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(published)) {
      return files.sorted().toList();
    }
  }

  @Test
  void filesThatNothingNamesAreListedAndThenRemoved() throws IOException {
    Path young = Files.createFile(published.resolve("0".repeat(64) + ".llm"));
    Path other = aged(Files.createFile(published.resolve("notes.llm")));
    Path unfinished = aged(Files.createFile(published.resolve("." + "a".repeat(32) + ".b.tmp")));
    Run listed = prune();
    assertThat(listed.exitCode()).as(listed.err()).isZero();
    assertThat(listed.out().lines())
        .containsExactlyInAnyOrder(
            "file:" + unfinished + "\t0", "file:" + superseded + "\t" + Files.size(superseded));
    assertThat(listed.err()).startsWith("2 of 4 files, ").endsWith("; --delete removes them.\n");
    assertThat(files()).hasSize(5);

    Run deleted = prune("--delete");
    assertThat(deleted.out()).isEqualTo(listed.out());
    assertThat(deleted.err()).startsWith("removed 2 files, ");
    assertThat(files()).containsExactlyInAnyOrder(needed, young, other);
    assertThat(prune("--delete", "--older-than=0s").err()).startsWith("removed 1 files");
    assertThat(files()).containsExactlyInAnyOrder(needed, other);
  }

  @Test
  void whatJobFilesAndFurtherSavepointsNameStays() throws IOException {
    write("# uses " + IndexRefs.of(superseded).sha256() + "\n");
    assertThat(prune("--delete").out()).isEmpty();
    write("");
    Path more = SAVED.resolve("0.1.0/phrases");
    assertThat(prune("--delete", "--checkpoints=" + more).out()).isEmpty();
    assertThat(files()).hasSize(2);
  }

  @Test
  void nothingIsRemovedIfACheckpointCannotBeRead() throws IOException {
    Path damaged = Files.createDirectories(folder.resolve("state/other/run/chk-1"));
    Files.writeString(damaged.resolve("_metadata"), "no metadata");
    Run run = prune("--delete");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .startsWith("latimer: the metadata of ")
        .contains("chk-1", "nothing was removed");
    assertThat(files()).hasSize(2);
  }

  @Test
  void nothingIsRemovedWithoutACheckpoint() throws IOException {
    Path none = Files.createDirectories(folder.resolve("none"));
    Run empty = prune("--delete", "--checkpoints=" + none);
    assertThat(empty.exitCode()).isEqualTo(1);
    assertThat(empty.err()).contains(none + " has no checkpoint and no savepoint");
    Run missing = prune("--delete", "--checkpoints=" + folder.resolve("missing"));
    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(missing.err()).contains("missing does not exist");
    assertThat(files()).hasSize(2);
    Files.writeString(
        job,
        "source: {list: {lines: []}}\nstages: [{estimate: {folder: published, sinks: [print:"
            + " {}]}}]\nsinks: [{print: {}}]\n");
    assertThat(prune("--delete").err()).contains("has no checkpoints.directory");
    assertThat(files()).hasSize(2);
  }
}
