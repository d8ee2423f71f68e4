package io.latimer.pipelines.flink;

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
 * Puts index files into a folder of one of Flink's file systems, named after their content. A file
 * is written under a hidden name and then renamed: object stores show an object when it is whole,
 * also one that they copy to rename it. What is found under the name already is kept only if it has
 * the content, because a file system whose renaming is not atomic may have been cut off.
 */
final class PublishedObjects {
  private static final Logger LOG = LoggerFactory.getLogger(PublishedObjects.class);

  private final Path folder;
  private final FileSystem files;
  private final String prefix;

  /**
   * Opens a folder.
   *
   * @param writer letters and digits that no other writer to the folder has
   */
  PublishedObjects(URI folder, String writer) throws IOException {
    this.folder = new Path(folder);
    this.files = this.folder.getFileSystem();
    this.prefix = "." + writer + ".";
  }

  /**
   * Publishes a file, and deletes what the writer did not complete before.
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

  /** Leaves no part of the file under its name, unless the process ends. */
  private void rename(Path unfinished, Path target, String sha256) throws IOException {
    boolean renamed = false;
    try {
      renamed = files.rename(unfinished, target);
    } finally {
      if (!renamed) {
        renamed = isThere(target, sha256); // another one may have put it there meanwhile
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

  /** Whether a file has the content; another content under the name is deleted. */
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
      return List.of(); // an object store has no empty folders
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
