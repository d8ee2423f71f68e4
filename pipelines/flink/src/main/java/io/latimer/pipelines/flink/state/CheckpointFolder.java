package io.latimer.pipelines.flink.state;

import io.latimer.pipelines.job.JobConfig;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;

/**
 * The folder of a job's checkpoints, in the folder that the job file names. It has a folder for
 * each run of the job, named by Flink's job id, with one for each checkpoint ({@code chk-N}) and
 * savepoint ({@code savepoint-...}).
 */
public final class CheckpointFolder implements Serializable {
  private static final long serialVersionUID = 1L;

  static final String METADATA = "_metadata";

  /** A marker file; its modification time is that of the last start without a state. */
  private static final String STARTED = "_started-without-state";

  /** Longer names are cut; file systems allow 255 bytes. */
  private static final int MAX_NAME = 200;

  private final Path path;

  private CheckpointFolder(Path path) {
    this.path = path;
  }

  /** The folder of a job; empty if the job file names none. */
  public static Optional<CheckpointFolder> of(JobConfig config) {
    String directory = config.checkpoints().directory();
    return directory.isEmpty()
        ? Optional.empty()
        : Optional.of(new CheckpointFolder(new Path(new Path(directory), escaped(config.name()))));
  }

  /** A job's name as a folder name: characters that are special to any file system are escaped. */
  private static String escaped(String name) {
    StringBuilder escaped = new StringBuilder();
    for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
      boolean plain =
          (b >= 'a' && b <= 'z')
              || (b >= 'A' && b <= 'Z')
              || (b >= '0' && b <= '9')
              || b == '-'
              || b == '_'
              || (b == '.' && escaped.length() > 0);
      escaped.append(plain ? String.valueOf((char) b) : String.format("=%02X", b & 0xff));
    }
    return escaped.length() <= MAX_NAME
        ? escaped.toString()
        // unambiguous: in any other name, a hexadecimal digit follows each equals sign
        : escaped.substring(0, MAX_NAME - 64) + "=-" + sha256(name);
  }

  private static String sha256(String name) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Its location as Flink writes it: with a scheme and without percent-encoding. */
  public String uri() {
    return uri(path);
  }

  /**
   * A location as Flink's settings expect it. Flink does not decode these settings, so an encoded
   * URI would name another folder if there is a space or a percent sign.
   */
  public static String uri(Path location) {
    return location.toString();
  }

  /** The location of a local file or folder, as {@link #uri(Path)} writes it. */
  public static String localUri(java.nio.file.Path local) {
    return "file://" + local.toAbsolutePath().normalize();
  }

  /** Where the folder is. */
  public Path path() {
    return path;
  }

  /** The folders of the job's runs, in no particular order; empty if there are none. */
  public List<Path> runs() throws IOException {
    return folders(path);
  }

  /** The complete checkpoints and savepoints of a run, in no particular order. */
  public static List<Path> complete(Path run) throws IOException {
    List<Path> complete = new ArrayList<>();
    for (Path state : folders(run)) {
      String name = state.getName();
      if ((name.startsWith("chk-") || name.startsWith("savepoint-"))
          && state.getFileSystem().exists(new Path(state, METADATA))) {
        complete.add(state);
      }
    }
    return complete;
  }

  /** Whether any run left a complete checkpoint or savepoint. */
  public boolean hasState() throws IOException {
    for (Path run : runs()) {
      if (!complete(run).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Records that the job starts without a state. Its sinks then abort the transactions that earlier
   * runs left open, even those that a checkpoint would still commit. Call this before they do; any
   * number of processes may call it concurrently.
   */
  public void startsWithoutState() throws IOException {
    Path file = new Path(path, STARTED);
    long before = lastStartWithoutState();
    // its content does not matter, so a process killed here leaves a valid marker
    try (FSDataOutputStream out =
        file.getFileSystem().create(file, FileSystem.WriteMode.OVERWRITE)) {
      out.write('\n');
      out.sync();
    } catch (IOException e) {
      // some file systems let only one of several writers succeed
      if (lastStartWithoutState() <= before) {
        throw new IOException(
            "cannot note in "
                + file
                + " that the job starts without a state; allow task managers to write there",
            e);
      }
    }
  }

  /**
   * Whether a start of the job without a state was recorded after a checkpoint or savepoint was
   * completed. Compares the file system's times.
   */
  boolean startedWithoutStateSince(Path state) throws IOException {
    long start = lastStartWithoutState();
    return start >= 0 && start > completedAt(state);
  }

  /**
   * The same for a checkpoint by its number: that of the given run, else of any other run. False if
   * there is no such checkpoint.
   *
   * @param run Flink's job id
   */
  boolean startedWithoutStateSince(String run, long checkpoint) throws IOException {
    long start = lastStartWithoutState();
    if (start < 0) {
      return false;
    }
    Path own = new Path(new Path(path, run), "chk-" + checkpoint);
    if (own.getFileSystem().exists(new Path(own, METADATA))) {
      return start > completedAt(own);
    }
    for (Path other : runs()) {
      Path state = new Path(other, "chk-" + checkpoint);
      if (state.getFileSystem().exists(new Path(state, METADATA)) && start > completedAt(state)) {
        return true;
      }
    }
    return false;
  }

  /** In milliseconds since 1970, or -1 if none was recorded. */
  private long lastStartWithoutState() throws IOException {
    Path file = new Path(path, STARTED);
    try {
      return file.getFileSystem().getFileStatus(file).getModificationTime();
    } catch (FileNotFoundException e) {
      return -1;
    }
  }

  /** When a checkpoint or savepoint was completed, in milliseconds since 1970. */
  public static long completedAt(Path state) throws IOException {
    Path metadata = new Path(state, METADATA);
    return metadata.getFileSystem().getFileStatus(metadata).getModificationTime();
  }

  private static List<Path> folders(Path parent) throws IOException {
    FileSystem files = parent.getFileSystem();
    FileStatus[] found;
    try {
      found = files.listStatus(parent);
    } catch (FileNotFoundException e) {
      return List.of();
    }
    return found == null
        ? List.of()
        : Arrays.stream(found).filter(FileStatus::isDir).map(FileStatus::getPath).toList();
  }
}
