package io.latimer.cli;

import java.nio.file.Path;

/** Where the engines' log goes; log4j2.properties says the same. */
final class Logs {
  private Logs() {}

  static Path file() {
    String given = System.getProperty("latimer.log");
    return given != null
        ? Path.of(given)
        : Path.of(
            System.getProperty("java.io.tmpdir"),
            "latimer-" + System.getProperty("user.name") + ".log");
  }
}
