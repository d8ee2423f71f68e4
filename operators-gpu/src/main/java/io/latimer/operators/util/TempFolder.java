package io.latimer.operators.util;

import io.latimer.operators.OperatorException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A folder for temporary files that only this user can read. It is created with the first file, and
 * deleted with its contents when closed, or when the process ends.
 */
public final class TempFolder implements AutoCloseable {
  private static final int ATTEMPTS = 100;

  private final Path parent;
  private Path folder;
  private AtExit cleanup;
  private int files;

  /**
   * @param parent its parent folder, or null for Java's folder for temporary files
   */
  public TempFolder(Path parent) {
    this.parent = parent;
  }

  /** The folder, for files and folders under names of their own. */
  public synchronized Path folder() throws IOException {
    if (folder == null) {
      folder =
          parent == null
              ? Files.createTempDirectory("latimer-")
              : Files.createTempDirectory(parent, "latimer-");
      Path made = folder;
      cleanup = new AtExit(() -> removeQuietly(made), "latimer-temporary-folder");
    }
    return folder;
  }

  /** The path of a new file, which the caller creates. */
  public synchronized Path file(String name) throws IOException {
    return folder().resolve(name + "-" + files++);
  }

  /**
   * Creates a file of zeros and maps it. The file is unlinked when this returns; its disk space is
   * freed when the buffers are no longer used.
   *
   * @param pieceBytes maximum size of a buffer
   */
  public List<ByteBuffer> map(long bytes, long pieceBytes) throws IOException {
    Path file = file("column");
    List<ByteBuffer> pieces = new ArrayList<>();
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      for (long at = 0; at < bytes; at += pieceBytes) {
        pieces.add(
            channel
                .map(FileChannel.MapMode.READ_WRITE, at, Math.min(pieceBytes, bytes - at))
                .order(ByteOrder.nativeOrder()));
      }
    } finally {
      Files.deleteIfExists(file);
    }
    return pieces;
  }

  @Override
  public synchronized void close() {
    if (folder == null) {
      return;
    }
    try {
      remove(folder);
    } catch (IOException e) {
      throw new OperatorException(
          "the temporary folder " + folder + " cannot be removed: " + e.getMessage(), e);
    } finally {
      folder = null;
      cleanup.close();
    }
  }

  /**
   * At the end of the process: errors cannot be reported, and other threads may still create files.
   */
  private static void removeQuietly(Path folder) {
    boolean there = true;
    for (int attempt = 0; there && attempt < ATTEMPTS; attempt++) {
      try {
        remove(folder);
        there = false;
      } catch (IOException e) {
        there = true;
      }
    }
  }

  private static void remove(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
          remove(file);
        } else {
          Files.deleteIfExists(file);
        }
      }
    }
    Files.deleteIfExists(folder);
  }
}
