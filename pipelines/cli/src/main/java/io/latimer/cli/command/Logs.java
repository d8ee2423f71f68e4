package io.latimer.cli.command;

import java.nio.file.Path;

/** The location of the engines' log; must match log4j2.properties. */
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
