package io.latimer.pipelines.beam;

import java.io.IOException;

/**
 * Ends this program when its parent process ends, even if killed, if the property {@value
 * #PROPERTY} is {@code true}: its standard input is then a pipe from the parent, and end of file
 * signals the end.
 */
final class ParentWatch {
  static final String PROPERTY = "latimer.ends-with-stdin";

  private static final int STOP_MILLIS = 10_000;

  private ParentWatch() {}

  static void start() {
    if (Boolean.getBoolean(PROPERTY)) {
      daemon("parent-watch", ParentWatch::await);
    }
  }

  private static void await() {
    try {
      while (System.in.read() >= 0) {
        // nothing is ever sent
      }
    } catch (IOException e) {
      System.err.println("latimer: the connection to the parent process broke: " + e.getMessage());
    }
    daemon("halt", ParentWatch::halt);
    System.exit(1);
  }

  /** Ends the process after a grace period, because runners may take too long to stop. */
  private static void halt() {
    try {
      Thread.sleep(STOP_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(1);
  }

  private static void daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }
}
