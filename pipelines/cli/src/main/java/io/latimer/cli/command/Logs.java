package io.latimer.cli.command;

import io.latimer.operators.util.ProcessFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The location of the engines' log; must match log4j2.properties. */
public final class Logs {
  private static final String PROPERTY = "latimer.log";
  private static final String NAME = "latimer.log";

  private Logs() {}

  /** The log file. */
  public static Path file() {
    String given = System.getProperty(PROPERTY);
    return given != null
        ? Path.of(given)
        : Path.of(System.getProperty("user.home"), ".local", "state", "latimer", NAME);
  }

  /**
   * Chooses the log file before anything is logged, in a folder that only this user can write to,
   * so that no other user can replace it by a link. Only this user can read the file.
   */
  public static void prepare() {
    if (System.getProperty(PROPERTY) == null) {
      folder().ifPresent(folder -> System.setProperty(PROPERTY, folder.resolve(NAME).toString()));
    }
  }

  /** The log folder; a user without a private home gets a temporary folder. */
  private static Optional<Path> folder() {
    String state = System.getenv("XDG_STATE_HOME");
    Path home =
        state != null && Path.of(state).isAbsolute()
            ? Path.of(state, "latimer")
            : file().getParent();
    Path existing = home;
    while (existing != null && !Files.exists(existing)) {
      existing = existing.getParent();
    }
    if (existing != null && Files.isDirectory(existing) && Files.isWritable(existing)) {
      return Optional.of(home);
    }
    try {
      ProcessFolder own = ProcessFolder.create("latimer-log");
      own.deleteOnExit(); // if nothing was logged
      return Optional.of(own.path());
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
