package io.latimer.operators.util;

import java.io.IOException;
import java.nio.channels.Channel;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A private temporary folder (0700) of this process. A killed process cannot delete its folders, so
 * the next one that makes a folder of the same kind deletes them.
 *
 * <p>A process holds a lock in its folder for as long as it lives. Unlike a process id, the lock is
 * also seen by processes in other containers that share the temporary folder.
 */
public final class ProcessFolder implements AutoCloseable {
  private static final String LOCK = ".lock";

  /** A folder without a lock is just being made, or was when its process was killed. */
  private static final Duration BEING_MADE = Duration.ofDays(1);

  /**
   * Keeps locks referenced: Java would close them, and another process take the folder for a dead
   * one's.
   */
  private static final Set<ProcessFolder> OPEN = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final FileChannel lock;

  private ProcessFolder(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  /**
   * Makes a folder, and deletes those of this user that dead processes left.
   *
   * @param kind begins the folder's name, such as {@code latimer-flink}
   * @throws IOException if it cannot be made
   */
  public static ProcessFolder create(String kind) throws IOException {
    Path parent = Path.of(System.getProperty("java.io.tmpdir"));
    if (!Files.isDirectory(parent)) { // createDirectories refuses a link to a folder
      Files.createDirectories(parent);
    }
    String own = kind + "-" + self() + "-";
    Path path = Files.createTempDirectory(parent, own);
    Path begun = path.resolve(LOCK + ".new");
    FileChannel lock =
        FileChannel.open(begun, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try {
      if (lock.tryLock() == null) {
        throw new IOException(begun + " is locked by another process");
      }
      // a lock that can be seen is held
      Files.move(begun, path.resolve(LOCK));
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
    deleteDead(parent, kind + "-", own, Files.getOwner(path));
    ProcessFolder folder = new ProcessFolder(path, lock);
    OPEN.add(folder);
    return folder;
  }

  /** The folder. */
  public Path path() {
    return path;
  }

  /**
   * The lock, which must stay open for as long as the folder is used, even if this class is
   * unloaded.
   */
  public Channel lock() {
    return lock;
  }

  /** Identifies this process on this machine, also after its id has been given to another. */
  private static String self() {
    ProcessHandle self = ProcessHandle.current();
    long start = self.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    return self.pid() + "-" + start;
  }

  /**
   * Folders of this process are skipped unopened: opening and closing their locks again would
   * release them.
   */
  private static void deleteDead(Path parent, String kind, String own, UserPrincipal user) {
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, kind + "*")) {
      for (Path folder : folders) {
        try {
          if (!folder.getFileName().toString().startsWith(own)
              && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
              && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(user)) {
            deleteIfDead(folder);
          }
        } catch (IOException e) {
          // another process is deleting it, or it cannot be deleted; go on with the others
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // the next process will
    }
  }

  private static void deleteIfDead(Path folder) throws IOException {
    if (Files.notExists(folder.resolve(LOCK), LinkOption.NOFOLLOW_LINKS)) {
      Instant changed = Files.getLastModifiedTime(folder, LinkOption.NOFOLLOW_LINKS).toInstant();
      if (changed.isBefore(Instant.now().minus(BEING_MADE))) {
        delete(folder);
      }
      return;
    }
    try (FileChannel channel = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.WRITE);
        FileLock held = channel.tryLock()) {
      if (held != null) {
        delete(folder);
      }
    } catch (NoSuchFileException | OverlappingFileLockException e) {
      // it is just being made, or belongs to this process
    }
  }

  /** Links are deleted, not followed. */
  private static void delete(Path folder) throws IOException {
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, IOException e)
              throws IOException {
            if (e != null) {
              throw e;
            }
            Files.deleteIfExists(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /**
   * Deletes the folder when the JVM ends in an orderly way, for what is used until then. Call this
   * before {@link java.io.File#deleteOnExit} of the files in it.
   */
  public void deleteOnExit() {
    path.toFile().deleteOnExit();
    path.resolve(LOCK).toFile().deleteOnExit();
  }

  /** Deletes the folder. What cannot be deleted is left to the next process. */
  @Override
  public void close() {
    OPEN.remove(this);
    try (lock) {
      delete(path);
    } catch (IOException e) {
      // files that are still written to; the lock is released in any case
    }
  }
}
