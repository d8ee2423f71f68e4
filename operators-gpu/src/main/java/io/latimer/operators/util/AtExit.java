package io.latimer.operators.util;

/**
 * Runs a cleanup when the process ends, such as by Ctrl-C, unless it is closed before: then the
 * cleanup has been done or is not needed.
 */
public final class AtExit implements AutoCloseable {
  private final Thread hook;

  /**
   * Registers a cleanup.
   *
   * @param cleanup reports nothing and throws nothing; other threads may still work meanwhile
   * @param name of its thread
   */
  public AtExit(Runnable cleanup, String name) {
    hook = new Thread(cleanup, name);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Cancels the cleanup. If the process is ending, it runs or has run. Closing twice is safe. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending.
      return;
    }
  }
}
