package io.latimer.e2e;

/** Messages of failed jobs. */
final class Failures {
  private Failures() {}

  /** The messages of an error and its causes, one per line. */
  static String messages(Throwable error) {
    StringBuilder all = new StringBuilder();
    for (Throwable t = error; t != null; t = t.getCause()) {
      all.append(t.getMessage()).append('\n');
    }
    return all.toString();
  }
}
