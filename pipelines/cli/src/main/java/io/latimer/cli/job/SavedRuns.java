package io.latimer.cli.job;

import io.latimer.cli.command.CommandException;
import io.latimer.pipelines.flink.CheckpointFolder;
import io.latimer.pipelines.flink.SavedState;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What earlier runs of a job left in its folder of checkpoints, and what the next run starts from.
 *
 * <p>Each run has a folder, named by its job id. The id starts with the run's number, so the newest
 * run is known without a clock. Files in the folder say how the run began and that it ended, and
 * make the answer the same whenever a process was killed:
 *
 * <ul>
 *   <li>{@code _fresh}: it began without a state
 *   <li>{@code _restored}: it began from the state whose path is in the file
 *   <li>{@code _ended}: it came to its end, so the next run begins anew
 * </ul>
 */
final class SavedRuns implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SavedRuns.class);

  /** Begins the ids of runs; others are of jobs that ran on a cluster. */
  private static final String OURS = "1a71be40";

  private static final String FRESH = "_fresh";
  private static final String RESTORED = "_restored";
  private static final String ENDED = "_ended";
  private static final String LOCK = "_lock";

  /**
   * What a run starts from.
   *
   * @param state a checkpoint or a savepoint; empty to begin anew
   * @param claimed whether the state belongs to the new run, which deletes it once it has a newer
   *     one
   */
  record Start(Optional<SavedState> state, boolean claimed) {
    static final Start ANEW = new Start(Optional.empty(), false);
  }

  private final CheckpointFolder folder;
  private final Path run;
  private final JobID job;
  private FileChannel lock;

  /**
   * Reserves the next run of a job.
   *
   * @throws CommandException if a process on this machine runs the job
   */
  SavedRuns(CheckpointFolder folder) throws IOException {
    this.folder = folder;
    lock();
    int number =
        folder.runs().stream().filter(SavedRuns::isOurs).mapToInt(SavedRuns::number).max().orElse(0)
            + 1;
    String random = String.format("%016x", ThreadLocalRandom.current().nextLong());
    job = JobID.fromHexString(OURS + String.format("%08x", number) + random);
    run = new Path(folder.path(), job.toString());
  }

  private static boolean isOurs(Path run) {
    return run.getName().matches(OURS + "[0-9a-f]{24}");
  }

  private static int number(Path run) {
    return Integer.parseUnsignedInt(run.getName().substring(8, 16), 16);
  }

  /** Two processes would take each other's checkpoints; only a local folder can be locked. */
  private void lock() throws IOException {
    if (!(folder.path().getFileSystem() instanceof LocalFileSystem)) {
      return;
    }
    java.nio.file.Path file = java.nio.file.Path.of(folder.path().getPath(), LOCK);
    Files.createDirectories(file.getParent());
    lock = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock held = null;
    try {
      held = lock.tryLock();
    } catch (OverlappingFileLockException e) {
      LOG.debug("This process holds it.", e);
    } finally {
      if (held == null) {
        lock.close();
      }
    }
    if (held == null) {
      throw new CommandException(
          "the job is running already: another process uses "
              + folder.path().getPath()
              + "; stop it, or give this job another name.");
    }
  }

  /** The job id of the next run. */
  JobID job() {
    return job;
  }

  /** The folder of the next run, for its checkpoints and savepoints. */
  String uri() {
    return CheckpointFolder.uri(run);
  }

  /**
   * What the next run starts from by default: the newest complete checkpoint or savepoint of the
   * last run, or what that run started from if it has none.
   *
   * @throws CommandException if it is damaged; names it and the one before
   */
  Start next() throws IOException {
    Optional<Path> foreign = newestForeign();
    List<Path> runs =
        folder.runs().stream()
            .filter(SavedRuns::isOurs)
            .sorted(Comparator.comparingInt(SavedRuns::number).reversed())
            .toList();
    for (Path last : runs) {
      Optional<Start> start = startAfter(last);
      if (start.isPresent()) {
        return foreign.isPresent()
                && CheckpointFolder.completedAt(foreign.get()) > changedAt(last, start.get())
            ? new Start(Optional.of(require(foreign.get().toString(), List.of())), false)
            : start.get();
      }
    }
    return foreign.isPresent()
        ? new Start(Optional.of(require(foreign.get().toString(), List.of())), false)
        : Start.ANEW;
  }

  /** Empty if the run left no trace: it was killed before it began. */
  private Optional<Start> startAfter(Path last) throws IOException {
    if (exists(last, ENDED)) {
      return Optional.of(Start.ANEW);
    }
    List<Path> complete = newestFirst(CheckpointFolder.complete(last));
    if (!complete.isEmpty()) {
      List<Path> before = new ArrayList<>(complete.subList(1, complete.size()));
      restoredFrom(last).map(Path::new).ifPresent(before::add);
      return Optional.of(new Start(Optional.of(require(complete.get(0).toString(), before)), true));
    }
    if (exists(last, FRESH)) {
      return Optional.of(Start.ANEW);
    }
    Optional<String> restored = restoredFrom(last);
    return restored.isPresent()
        // claimed only if it is a run's own: what the user named stays the user's
        ? Optional.of(
            new Start(Optional.of(require(restored.get(), List.of())), isOfOurRun(restored.get())))
        : Optional.empty();
  }

  private boolean isOfOurRun(String state) {
    Path of = new Path(state).getParent();
    return of != null && isOurs(of) && folder.path().equals(of.getParent());
  }

  /** By their numbers, from their metadata; what cannot be read counts as newest. */
  private static List<Path> newestFirst(List<Path> states) {
    record Numbered(Path state, long id) {}
    return states.stream()
        .map(state -> new Numbered(state, id(state)))
        .sorted(Comparator.comparingLong(Numbered::id).reversed())
        .map(Numbered::state)
        .toList();
  }

  private static long id(Path state) {
    String name = state.getName();
    if (name.matches("chk-[0-9]{1,18}")) {
      return Long.parseLong(name.substring("chk-".length()));
    }
    try {
      return SavedState.read(state.toString()).id();
    } catch (IOException e) {
      return Long.MAX_VALUE;
    }
  }

  private Optional<Path> newestForeign() throws IOException {
    Path newest = null;
    for (Path other : folder.runs()) {
      if (!isOurs(other) && other.getName().matches("[0-9a-f]{32}")) {
        for (Path state : CheckpointFolder.complete(other)) {
          if (newest == null
              || CheckpointFolder.completedAt(state) > CheckpointFolder.completedAt(newest)) {
            newest = state;
          }
        }
      }
    }
    return Optional.ofNullable(newest);
  }

  private static long changedAt(Path last, Start start) throws IOException {
    if (start.state().isPresent()) {
      return CheckpointFolder.completedAt(new Path(start.state().get().path()));
    }
    Path sign = new Path(last, exists(last, ENDED) ? ENDED : FRESH);
    return sign.getFileSystem().getFileStatus(sign).getModificationTime();
  }

  /**
   * A checkpoint or savepoint that is whole.
   *
   * @param path its folder
   * @param before others to name if it is not, newest first
   */
  static SavedState require(String path, List<Path> before) throws IOException {
    Optional<String> damage = damage(path);
    if (damage.isEmpty()) {
      return SavedState.read(path);
    }
    String previous = "";
    for (Path other : before) {
      if (damage(other.toString()).isEmpty()) {
        previous =
            "--restore "
                + other
                + " starts from the one before it, and writes again what was committed since; ";
        break;
      }
    }
    throw new CommandException(damage.get() + "; " + previous + "--fresh begins without a state.");
  }

  private static Optional<String> damage(String path) {
    try {
      List<String> missing = SavedState.read(path).missingFiles();
      return missing.isEmpty()
          ? Optional.empty()
          : Optional.of(
              path
                  + " is damaged: "
                  + missing.get(0)
                  + " is missing or too short"
                  + (missing.size() > 1 ? ", and " + (missing.size() - 1) + " more" : ""));
    } catch (IOException e) {
      return Optional.of("the job cannot start from " + path + ": " + e.getMessage());
    }
  }

  /** Remembers, before it begins, what the run starts from. */
  void begin(Start start) throws IOException {
    if (start.state().isPresent()) {
      write(RESTORED, start.state().get().path());
    } else {
      write(FRESH, "");
    }
    tidy(start);
  }

  /** Deletes the folders of earlier runs from which nothing is needed. */
  private void tidy(Start start) throws IOException {
    Optional<Path> from =
        start.state().map(state -> new Path(state.path()).getParent());
    for (Path other : folder.runs()) {
      boolean earlier = isOurs(other) && !other.getName().equals(run.getName());
      if (earlier
          && from.filter(other::equals).isEmpty()
          && CheckpointFolder.complete(other).isEmpty()
          // incremental checkpoints of later runs may refer to files of earlier ones
          && isEmpty(new Path(other, "shared"))
          && isEmpty(new Path(other, "taskowned"))) {
        other.getFileSystem().delete(other, true);
      }
    }
  }

  private static boolean isEmpty(Path directory) throws IOException {
    FileSystem files = directory.getFileSystem();
    return !files.exists(directory) || files.listStatus(directory).length == 0;
  }

  /** The run has come to its end: the next one begins anew, and no state of runs is needed. */
  void end() throws IOException {
    write(ENDED, "");
    for (Path other : folder.runs()) {
      if (isOurs(other) && !other.getName().equals(run.getName())) {
        delete(other);
      }
    }
  }

  /** Deletes a run's folder, or all but its savepoints, which are for the user to delete. */
  private static void delete(Path other) throws IOException {
    boolean hasSavepoints =
        CheckpointFolder.complete(other).stream()
            .anyMatch(state -> state.getName().startsWith("savepoint-"));
    FileSystem files = other.getFileSystem();
    if (!hasSavepoints) {
      files.delete(other, true);
      return;
    }
    for (org.apache.flink.core.fs.FileStatus child : files.listStatus(other)) {
      String name = child.getPath().getName();
      if (name.startsWith("chk-") || name.equals("shared") || name.equals("taskowned")) {
        files.delete(child.getPath(), true);
      }
    }
  }

  /** The newest complete checkpoint of this run, or what it started from. */
  Optional<String> newest() {
    try {
      List<Path> complete = newestFirst(CheckpointFolder.complete(run));
      return complete.isEmpty() ? restoredFrom(run) : Optional.of(complete.get(0).toString());
    } catch (IOException e) {
      LOG.warn("The checkpoints of {} cannot be listed.", run, e);
      return Optional.empty();
    }
  }

  private static boolean exists(Path last, String name) throws IOException {
    return last.getFileSystem().exists(new Path(last, name));
  }

  private static Optional<String> restoredFrom(Path last) throws IOException {
    Path file = new Path(last, RESTORED);
    try (FSDataInputStream in = file.getFileSystem().open(file)) {
      return Optional.of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
  }

  /** Under another name first, so that no reader sees half of it. */
  private void write(String name, String text) throws IOException {
    FileSystem files = run.getFileSystem();
    files.mkdirs(run);
    Path temporary = new Path(run, name + ".tmp");
    try (OutputStream out = files.create(temporary, FileSystem.WriteMode.OVERWRITE)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    if (!files.rename(temporary, new Path(run, name))) {
      throw new IOException("cannot write " + new Path(run, name));
    }
  }

  /** Releases the job for other processes. */
  @Override
  public void close() throws IOException {
    if (lock != null) {
      lock.close();
    }
  }
}
