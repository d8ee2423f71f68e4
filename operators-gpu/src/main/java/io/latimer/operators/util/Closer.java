package io.latimer.operators.util;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What an object has opened: given back together, the last first, also where its constructor fails
 * half way. For one thread at a time.
 */
public final class Closer implements AutoCloseable {
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /** Adds one, which is closed before those that are held already. */
  public <T extends AutoCloseable> T add(T resource) {
    opened.addFirst(resource);
    return resource;
  }

  /** Adds one, which is closed after those that are held already. */
  public <T extends AutoCloseable> T addBelow(T resource) {
    opened.addLast(resource);
    return resource;
  }

  /** Closes all, because of a failure; what fails then is suppressed in it. */
  public void closeAfter(Throwable failure) {
    try {
      close();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Closes all, also where some fail: the first failure is thrown in the end. Closing twice is
   * safe.
   */
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
