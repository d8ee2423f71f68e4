package io.latimer.cli.command;

import java.nio.file.Path;

/** Where the engines' log goes; log4j2.properties says the same. */
public final class Logs {
  private Logs() {}

  public static Path file() {
    String given = System.getProperty("latimer.log");
    return given != null
        ? Path.of(given)
        : Path.of(
            System.getProperty("java.io.tmpdir"),
            "latimer-" + System.getProperty("user.name") + ".log");
  }
}
