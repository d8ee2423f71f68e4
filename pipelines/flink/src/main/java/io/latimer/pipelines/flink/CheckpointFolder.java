package io.latimer.pipelines.flink;

import io.latimer.pipelines.job.JobConfig;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;

/**
 * The folder of a job's checkpoints, in the folder that the job file names. It has a folder for
 * each run of the job, named by Flink's job id, with one for each checkpoint ({@code chk-N}) and
 * savepoint ({@code savepoint-...}).
 */
public final class CheckpointFolder {
  private static final String METADATA = "_metadata";

  private final Path path;

  private CheckpointFolder(Path path) {
    this.path = path;
  }

  /** The folder of a job; empty if its file names none. */
  public static Optional<CheckpointFolder> of(JobConfig config) {
    String directory = config.checkpoints().directory();
    return directory.isEmpty()
        ? Optional.empty()
        : Optional.of(new CheckpointFolder(new Path(new Path(directory), escaped(config.name()))));
  }

  /** A job's name as that of a folder: whatever is special to some file system is escaped. */
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
    return escaped.toString();
  }

  /** Its URI. */
  public String uri() {
    return path.toUri().toString();
  }

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
