package io.latimer.cli.job;

import io.latimer.pipelines.flink.state.CheckpointFolder;
import io.latimer.pipelines.flink.state.SavedState;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of one run of a job: its checkpoints and savepoints, and marker files for how the run
 * began and ended.
 */
record RunFolder(Path path) {
  private static final Logger LOG = LoggerFactory.getLogger(RunFolder.class);

  /** The prefix of our runs' ids; other ids are of jobs that ran on a cluster. */
  private static final String OURS = "1a71be40";

  private static final String KEPT = "_kept";
  private static final String CLAIMED = "claimed\n";
  private static final String NOT_CLAIMED = "kept\n";

  /** A state named in a marker file, and whether it belongs to the job. */
  record Named(String state, boolean claimed) {}

  /** The job id of a run. */
  static String id(int number, long random) {
    return OURS + String.format("%08x%016x", number, random);
  }

  static boolean isOurs(Path run) {
    return run.getName().matches(OURS + "[0-9a-f]{24}");
  }

  int number() {
    return Integer.parseUnsignedInt(path.getName().substring(8, 16), 16);
  }

  boolean has(String name) throws IOException {
    return exists(new Path(path, name));
  }

  static boolean exists(Path file) throws IOException {
    return file.getFileSystem().exists(file);
  }

  Optional<Named> named(String name) throws IOException {
    Path file = new Path(path, name);
    String text;
    try (FSDataInputStream in = file.getFileSystem().open(file)) {
      text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
    return Optional.of(new Named(text.substring(text.indexOf('\n') + 1), text.startsWith(CLAIMED)));
  }

  void write(String name, Named state) throws IOException {
    write(name, (state.claimed() ? CLAIMED : NOT_CLAIMED) + state.state());
  }

  /** Writes a marker file under another name first, so that no reader sees it incomplete. */
  void write(String name, String text) throws IOException {
    FileSystem files = path.getFileSystem();
    files.mkdirs(path);
    Path temporary = new Path(path, name + ".tmp");
    try (OutputStream out = files.create(temporary, FileSystem.WriteMode.OVERWRITE)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    if (!files.rename(temporary, new Path(path, name))) {
      throw new IOException("cannot write " + new Path(path, name));
    }
  }

  /** Marks a state that the user has named, so that it is not deleted. */
  static void keep(Path state) throws IOException {
    state.getFileSystem().create(new Path(state, KEPT), FileSystem.WriteMode.OVERWRITE).close();
  }

  static boolean isKept(Path state) throws IOException {
    return exists(new Path(state, KEPT));
  }

  /** The complete checkpoints and savepoints, without those whose metadata cannot be read. */
  List<SavedState> states(boolean keptOnly) throws IOException {
    List<SavedState> states = new ArrayList<>();
    for (Path state : CheckpointFolder.complete(path)) {
      if (!keptOnly || isKept(state)) {
        try {
          states.add(SavedState.read(state.toString()));
        } catch (IOException e) {
          LOG.warn("The checkpoint {} is damaged.", state, e);
        }
      }
    }
    return states;
  }

  /** Deletes the checkpoints that are not needed, but no savepoints, which belong to the user. */
  void deleteCheckpoints(List<SavedState> needed) throws IOException {
    for (FileStatus child : path.getFileSystem().listStatus(path)) {
      Path part = child.getPath();
      String name = part.getName();
      boolean deletable =
          name.equals("shared")
              || name.equals("taskowned")
              || (name.startsWith("chk-") && !isKept(part));
      // incremental checkpoints of later runs refer to files of earlier ones
      if (deletable && needed.stream().noneMatch(state -> state.refersTo(part))) {
        part.getFileSystem().delete(part, true);
      }
    }
  }

  /** Deletes the folder if it contains neither a state nor files of one. */
  void deleteIfEmpty() throws IOException {
    if (CheckpointFolder.complete(path).isEmpty()
        && isEmpty(new Path(path, "shared"))
        && isEmpty(new Path(path, "taskowned"))) {
      path.getFileSystem().delete(path, true);
    }
  }

  private static boolean isEmpty(Path directory) throws IOException {
    FileSystem files = directory.getFileSystem();
    return !files.exists(directory) || files.listStatus(directory).length == 0;
  }
}
