package io.latimer.e2e.chaos;

import java.io.IOException;
import java.time.Duration;

/** Signals that Java cannot send. */
final class Signals {
  private Signals() {}

  /**
   * Stops a process for a while. A process of its own resumes it, so that it never stays stopped,
   * not even if this program is killed meanwhile.
   */
  static void freeze(long pid, Duration time) throws IOException {
    new ProcessBuilder(
            "/bin/sh",
            "-c",
            "kill -STOP $0; sleep $1; kill -CONT $0",
            Long.toString(pid),
            Double.toString(time.toMillis() / 1000.0))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }
}
