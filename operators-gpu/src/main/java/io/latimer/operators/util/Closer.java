package io.latimer.operators.util;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Resources that an object has opened: closed together, last first, also if the constructor fails
 * halfway. Not thread-safe.
 */
public final class Closer implements AutoCloseable {
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /** Adds a resource, which is closed before those added earlier. */
  public <T extends AutoCloseable> T add(T resource) {
    opened.addFirst(resource);
    return resource;
  }

  /** Adds a resource, which is closed after those added earlier. */
  public <T extends AutoCloseable> T addBelow(T resource) {
    opened.addLast(resource);
    return resource;
  }

  /** Closes all after a failure, to which further failures are added as suppressed. */
  public void closeAfter(Throwable failure) {
    runAfter(failure, this::close);
  }

  /** Cleans up after a failure, to which one of the cleanup is added as suppressed. */
  public static void runAfter(Throwable failure, Runnable cleanup) {
    try {
      cleanup.run();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  /** Closes all, even if some fail; then throws the first failure. Closing twice is safe. */
  @Override
  public void close() {
    RuntimeException failed = null;
    while (!opened.isEmpty()) {
      try {
        opened.removeFirst().close();
      } catch (Exception e) {
        RuntimeException unchecked =
            e instanceof RuntimeException known ? known : new IllegalStateException(e);
        if (failed == null) {
          failed = unchecked;
        } else {
          failed.addSuppressed(unchecked);
        }
      }
    }
    if (failed != null) {
      throw failed;
    }
  }
}
