package io.latimer.cli.job;

import io.latimer.cli.command.CommandException;
import io.latimer.pipelines.flink.state.CheckpointFolder;
import io.latimer.pipelines.flink.state.SavedState;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The earlier runs of a job in its checkpoint folder, and the state that the next run starts from.
 *
 * <p>Each run has a folder, named by its job id. The id starts with the run's number, so the newest
 * run is known without a clock. Marker files in the folder say how the run began and ended, so that
 * a process may be killed at any time:
 *
 * <ul>
 *   <li>{@code _fresh}: it began without a state
 *   <li>{@code _restored}: it began from the state whose path is in the file, which also says
 *       whether that state was its own
 *   <li>{@code _stopped}: it was stopped with the savepoint whose path is in the file
 *   <li>{@code _ended}: it came to its end, so the next run begins anew
 * </ul>
 */
final class SavedRuns implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SavedRuns.class);

  private static final String FRESH = "_fresh";
  private static final String RESTORED = "_restored";
  private static final String STOPPED = "_stopped";
  private static final String ENDED = "_ended";
  private static final String LOCK = "_lock";

  /**
   * The state that a run starts from.
   *
   * @param state a checkpoint or a savepoint; empty to start fresh
   * @param claimed whether the state belongs to the new run, which deletes it once it has a newer
   *     one
   */
  record Start(Optional<SavedState> state, boolean claimed) {
    static final Start ANEW = new Start(Optional.empty(), false);
  }

  private final CheckpointFolder folder;
  private final RunFolder run;
  private final JobID job;
  private FileChannel lock;
  private boolean ended;

  /**
   * Reserves the next run of a job.
   *
   * @throws CommandException if a process on this machine runs the job
   */
  SavedRuns(CheckpointFolder folder) throws IOException {
    this.folder = folder;
    lock();
    int number = ours().stream().mapToInt(RunFolder::number).max().orElse(0) + 1;
    job = JobID.fromHexString(RunFolder.id(number, ThreadLocalRandom.current().nextLong()));
    run = new RunFolder(new Path(folder.path(), job.toString()));
  }

  /** The folders of this job's runs, in no particular order. */
  private List<RunFolder> ours() throws IOException {
    return folder.runs().stream().filter(RunFolder::isOurs).map(RunFolder::new).toList();
  }

  /** The folders of the runs before this one. */
  private List<RunFolder> earlier() throws IOException {
    return ours().stream().filter(other -> !other.path().equals(run.path())).toList();
  }

  /**
   * Locks the job, because two processes would use each other's checkpoints; only a local folder
   * can be locked.
   */
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
    return CheckpointFolder.uri(run.path());
  }

  /**
   * The default state for the next run: the newest complete checkpoint or savepoint of the last
   * run, or the one that run started from if it has none.
   *
   * @throws CommandException if it is damaged; the message names it and the one before
   */
  Start next() throws IOException {
    Optional<Path> foreign = newestForeign();
    List<RunFolder> runs =
        ours().stream().sorted(Comparator.comparingInt(RunFolder::number).reversed()).toList();
    for (RunFolder last : runs) {
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

  /**
   * The start after a run; empty if the run left no trace because it was killed before it began.
   */
  private Optional<Start> startAfter(RunFolder last) throws IOException {
    if (last.has(ENDED)) {
      return Optional.of(Start.ANEW);
    }
    List<Path> complete = newestFirst(CheckpointFolder.complete(last.path()));
    Optional<RunFolder.Named> stopped = last.named(STOPPED);
    if (stopped.isPresent()) {
      return Optional.of(start(stopped.get(), complete));
    }
    Optional<RunFolder.Named> restored = last.named(RESTORED);
    if (!complete.isEmpty()) {
      List<Path> before = new ArrayList<>(complete.subList(1, complete.size()));
      restored.map(RunFolder.Named::state).map(Path::new).ifPresent(before::add);
      Path newest = complete.get(0);
      return Optional.of(
          start(new RunFolder.Named(newest.toString(), !RunFolder.isKept(newest)), before));
    }
    if (last.has(FRESH)) {
      return Optional.of(Start.ANEW);
    }
    if (restored.isEmpty()) {
      return Optional.empty();
    }
    Path state = new Path(restored.get().state());
    if (restored.get().claimed() && !RunFolder.exists(state)) {
      // Flink deletes a job's own checkpoints when its sources have ended
      throw new CommandException(
          "the last run has probably come to the end of its source: its checkpoints are gone, and "
              + state
              + ", from which it had started; --fresh begins without a state.");
    }
    return Optional.of(start(restored.get(), List.of()));
  }

  private static Start start(RunFolder.Named state, List<Path> before) throws IOException {
    return new Start(Optional.of(require(state.state(), before)), state.claimed());
  }

  private boolean isOfOurRun(Path state) {
    Path of = state.getParent();
    return of != null && RunFolder.isOurs(of) && folder.path().equals(of.getParent());
  }

  /** Sorts states by the numbers in their metadata; unreadable ones count as newest. */
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
      if (!RunFolder.isOurs(other) && other.getName().matches("[0-9a-f]{32}")) {
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

  private static long changedAt(RunFolder last, Start start) throws IOException {
    if (start.state().isPresent()) {
      return CheckpointFolder.completedAt(new Path(start.state().get().path()));
    }
    Path sign = new Path(last.path(), last.has(ENDED) ? ENDED : FRESH);
    return sign.getFileSystem().getFileStatus(sign).getModificationTime();
  }

  /**
   * Reads a checkpoint or savepoint and checks that it is complete.
   *
   * @param path its folder
   * @param before alternatives to name if it is not, newest first
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

  /** Records the state that the run starts from, before it begins. */
  void begin(Start start) throws IOException {
    if (start.state().isPresent()) {
      String state = start.state().get().path();
      if (!start.claimed() && isOfOurRun(new Path(state))) {
        RunFolder.keep(new Path(state));
      }
      run.write(RESTORED, new RunFolder.Named(state, start.claimed()));
    } else {
      run.write(FRESH, "");
    }
    tidy(start);
  }

  /**
   * Deletes the folders of earlier runs that are empty, and the checkpoints of those before the run
   * from which this one resumes.
   */
  private void tidy(Start start) throws IOException {
    Optional<RunFolder> from =
        start
            .state()
            .map(state -> new Path(state.path()))
            .filter(state -> start.claimed() && isOfOurRun(state))
            .map(state -> new RunFolder(state.getParent()));
    List<RunFolder> earlier = earlier();
    List<SavedState> needed = kept(earlier);
    if (from.isPresent()) {
      needed.addAll(from.get().states(false));
    }
    for (RunFolder other : earlier) {
      if (from.isPresent() && other.number() < from.get().number()) {
        other.deleteCheckpoints(needed);
      }
      other.deleteIfEmpty();
    }
  }

  private static List<SavedState> kept(List<RunFolder> runs) throws IOException {
    List<SavedState> kept = new ArrayList<>();
    for (RunFolder run : runs) {
      kept.addAll(run.states(true));
    }
    return kept;
  }

  /**
   * Records that the run reached its end: the next one starts fresh, and no checkpoint is needed.
   */
  void end() throws IOException {
    run.write(ENDED, "");
    ended = true;
    List<RunFolder> earlier = earlier();
    List<SavedState> kept = kept(earlier);
    for (RunFolder other : earlier) {
      other.deleteCheckpoints(kept);
      other.deleteIfEmpty();
    }
  }

  /** Records that the run was stopped with a savepoint, from which the next one resumes. */
  void stopped(String savepoint) throws IOException {
    run.write(STOPPED, new RunFolder.Named(savepoint, isOfOurRun(new Path(savepoint))));
  }

  /** The newest complete checkpoint of this run, or else the state it started from. */
  Optional<String> newest() {
    try {
      List<Path> complete = newestFirst(CheckpointFolder.complete(run.path()));
      return complete.isEmpty()
          ? run.named(RESTORED).map(RunFolder.Named::state)
          : Optional.of(complete.get(0).toString());
    } catch (IOException e) {
      LOG.warn("The checkpoints of {} cannot be listed.", run.path(), e);
      return Optional.empty();
    }
  }

  /** Releases the job for other processes. Flink's cluster must have stopped. */
  @Override
  public void close() throws IOException {
    try {
      if (ended) {
        // Flink deletes its checkpoints itself, but not one that was being written at the end
        run.deleteCheckpoints(List.of());
      }
    } catch (IOException e) {
      LOG.warn("The checkpoints in {} cannot be deleted.", run.path(), e);
    } finally {
      if (lock != null) {
        lock.close();
      }
    }
  }
}
