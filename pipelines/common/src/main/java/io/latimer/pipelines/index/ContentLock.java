package io.latimer.pipelines.index;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock on a name in a folder, across threads and processes. It is released when its process ends,
 * even if killed; the empty lock file stays.
 *
 * <p>With several class loaders, a process can lose it to another process, because closing a file
 * releases all locks that the process has on it. So the lock only avoids duplicate transfers; files
 * are correct without it, because each is written under its own name and renamed.
 */
final class ContentLock implements AutoCloseable {
  private static final long POLL_MILLIS = 50;

  /**
   * A process can hold the lock of a file only once, and loses it when any of its threads closes
   * the file. So threads queue here, and each opens the file after the previous one has closed it.
   */
  private static final ConcurrentMap<Path, ReentrantLock> THREADS = new ConcurrentHashMap<>();

  private final ReentrantLock thread;
  private final FileChannel channel;

  private ContentLock(ReentrantLock thread, FileChannel channel) {
    this.thread = thread;
    this.channel = channel;
  }

  /**
   * Takes a lock, waiting for it. Not reentrant.
   *
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  static ContentLock take(Path folder, String name) throws IOException, InterruptedException {
    Path file = file(folder, name);
    ReentrantLock thread = thread(file);
    thread.lockInterruptibly();
    FileChannel channel = null;
    try {
      channel = open(file);
      while (!locked(channel)) {
        Thread.sleep(POLL_MILLIS);
      }
      ContentLock lock = new ContentLock(thread, channel);
      channel = null;
      thread = null;
      return lock;
    } finally {
      release(thread, channel);
    }
  }

  /** Takes a lock unless any thread or process holds it. */
  static Optional<ContentLock> tryTake(Path folder, String name) throws IOException {
    Path file = file(folder, name);
    ReentrantLock thread = thread(file);
    if (thread.isHeldByCurrentThread() || !thread.tryLock()) {
      return Optional.empty();
    }
    FileChannel channel = null;
    try {
      channel = open(file);
      if (!locked(channel)) {
        return Optional.empty();
      }
      ContentLock lock = new ContentLock(thread, channel);
      channel = null;
      thread = null;
      return Optional.of(lock);
    } finally {
      release(thread, channel);
    }
  }

  private static Path file(Path folder, String name) {
    return folder.resolve(name + ".lock");
  }

  private static ReentrantLock thread(Path file) {
    return THREADS.computeIfAbsent(file, f -> new ReentrantLock());
  }

  private static FileChannel open(Path file) throws IOException {
    return FileChannel.open(
        file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  }

  private static boolean locked(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false; // another class loader of this process has it
    }
  }

  private static void release(ReentrantLock thread, FileChannel channel) throws IOException {
    try {
      if (channel != null) {
        channel.close();
      }
    } finally {
      if (thread != null) {
        thread.unlock();
      }
    }
  }

  @Override
  public void close() throws IOException {
    release(thread, channel);
  }
}
