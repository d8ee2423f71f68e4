package io.latimer.pipelines.flink.state;

import io.latimer.pipelines.index.IndexFiles;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;

/** A folder of index files that jobs have published, in any of Flink's file systems. */
public final class PublishedFolder {
  private static final Pattern FILE = Pattern.compile("([0-9a-f]{64})\\.(?:llm|lpx)");

  /**
   * Names of files that a killed process left incomplete; an index file that is being built has a
   * second leading dot.
   */
  private static final Pattern UNFINISHED = Pattern.compile("\\.{1,2}[0-9a-f]{32}\\..*\\.tmp");

  private final Path path;

  /**
   * A file.
   *
   * @param path where it is
   * @param sha256 of its content, from its name; empty if it was not completed
   * @param bytes its size
   * @param modified modification time, in milliseconds since 1970
   */
  public record Entry(Path path, String sha256, long bytes, long modified) {
    /** Whether it was completed. */
    public boolean isComplete() {
      return !sha256.isEmpty();
    }

    /** Deletes it. */
    public void delete() throws IOException {
      if (!path.getFileSystem().delete(path, false)) {
        throw new IOException(path + " cannot be deleted");
      }
    }
  }

  /**
   * Creates a handle of a folder.
   *
   * @param folder a path or a URI
   */
  public PublishedFolder(String folder) {
    this.path =
        IndexFiles.isLocalFolder(folder)
            ? new Path(CheckpointFolder.localUri(java.nio.file.Path.of(folder)))
            : new Path(folder);
  }

  /**
   * The files that jobs have published there, recognized by name.
   *
   * @throws IOException if the folder cannot be read
   */
  public List<Entry> entries() throws IOException {
    FileStatus[] found = path.getFileSystem().listStatus(path);
    if (found == null) {
      throw new FileNotFoundException(path + " does not exist");
    }
    List<Entry> entries = new ArrayList<>();
    for (FileStatus status : found) {
      String name = status.getPath().getName();
      Matcher file = FILE.matcher(name);
      boolean complete = file.matches();
      if (!status.isDir() && (complete || UNFINISHED.matcher(name).matches())) {
        entries.add(
            new Entry(
                status.getPath(),
                complete ? file.group(1) : "",
                status.getLen(),
                status.getModificationTime()));
      }
    }
    entries.sort(Comparator.comparing(entry -> entry.path().getName()));
    return entries;
  }
}
