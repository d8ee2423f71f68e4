package io.latimer.pipelines.flink.state;

import io.latimer.operators.util.Sha256;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes index files to a folder in one of Flink's file systems, under names derived from their
 * content. A file is written under a hidden name and then renamed: object stores show an object
 * only when it is complete, even if renaming copies it. An existing file under the name is kept
 * only if it has the same content, because a rename that is not atomic may have been interrupted.
 */
final class PublishedObjects {
  private static final Logger LOG = LoggerFactory.getLogger(PublishedObjects.class);

  private final Path folder;
  private final FileSystem files;
  private final String prefix;

  /**
   * Opens a folder.
   *
   * @param writer letters and digits, unique among the writers to the folder
   */
  PublishedObjects(URI folder, String writer) throws IOException {
    this.folder = new Path(folder);
    this.files = this.folder.getFileSystem();
    this.prefix = "." + writer + ".";
  }

  /**
   * Publishes a file, and deletes files that this writer left incomplete.
   *
   * @param sha256 of the file
   * @param name under which it appears
   */
  void put(java.nio.file.Path file, String sha256, String name) throws IOException {
    files.mkdirs(folder);
    deleteUnfinished();
    Path target = new Path(folder, name);
    if (isThere(target, sha256)) {
      return;
    }
    Path unfinished = new Path(folder, prefix + UUID.randomUUID() + ".tmp");
    try {
      copy(file, unfinished);
      requireWhole(unfinished, Files.size(file));
      rename(unfinished, target, sha256);
      requireWhole(target, Files.size(file));
    } finally {
      delete(unfinished);
    }
  }

  private void copy(java.nio.file.Path from, Path to) throws IOException {
    try (InputStream in = Files.newInputStream(from);
        FSDataOutputStream out = files.create(to, FileSystem.WriteMode.NO_OVERWRITE)) {
      in.transferTo(out);
      out.sync();
    }
  }

  /** Renames a file, and leaves no partial file under the new name unless the process dies. */
  private void rename(Path unfinished, Path target, String sha256) throws IOException {
    boolean renamed = false;
    try {
      renamed = files.rename(unfinished, target);
    } finally {
      if (!renamed) {
        renamed = isThere(target, sha256); // another writer may have published it meanwhile
      }
    }
    if (!renamed) {
      throw new IOException(unfinished + " cannot be renamed to " + target);
    }
  }

  private void requireWhole(Path file, long bytes) throws IOException {
    long found = files.getFileStatus(file).getLen();
    if (found != bytes) {
      throw new IOException(file + " has " + found + " bytes of " + bytes);
    }
  }

  /** Whether a file has the expected content; deletes it if not. */
  private boolean isThere(Path file, String sha256) throws IOException {
    if (!files.exists(file)) {
      return false;
    }
    try (InputStream in = files.open(file)) {
      if (Sha256.of(in).equals(sha256)) {
        return true;
      }
    }
    LOG.warn("{} does not have the content that its name says, and is written again", file);
    files.delete(file, false);
    return false;
  }

  private void deleteUnfinished() throws IOException {
    for (FileStatus status : list()) {
      String name = status.getPath().getName();
      if (name.startsWith(prefix) && name.endsWith(".tmp")) {
        files.delete(status.getPath(), false);
      }
    }
  }

  private List<FileStatus> list() throws IOException {
    try {
      FileStatus[] found = files.listStatus(folder);
      return found == null ? List.of() : Arrays.asList(found);
    } catch (FileNotFoundException e) {
      return List.of(); // object stores have no empty folders
    }
  }

  private void delete(Path file) {
    try {
      if (files.exists(file)) {
        files.delete(file, false);
      }
    } catch (IOException e) {
      LOG.warn("{} cannot be deleted", file, e); // the writer deletes it the next time
    }
  }
}
