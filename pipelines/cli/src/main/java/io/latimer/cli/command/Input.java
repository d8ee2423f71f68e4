package io.latimer.cli.command;

import io.latimer.cli.terminal.ByteProgress;
import io.latimer.cli.terminal.Terminal;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The input of a command: a file or standard input.
 *
 * @param name for messages
 * @param size in bytes; 0 if unknown
 * @param typed whether it may be typed interactively
 */
public record Input(InputStream stream, String name, long size, boolean typed)
    implements AutoCloseable {
  private static final String STANDARD = "standard input";

  /** The standard input. */
  public static Input standard(Terminal terminal) throws IOException {
    long size = terminal.in() instanceof FileInputStream file ? file.getChannel().size() : 0;
    return new Input(terminal.in(), STANDARD, size, terminal.inIsTerminal());
  }

  /** The progress line of a command that reads the standard input as bytes. */
  public static ByteProgress progress(Terminal terminal) throws IOException {
    return new ByteProgress(terminal, standard(terminal).size(), System::nanoTime);
  }

  /**
   * Opens a file, or standard input if the path is null or {@code -}.
   *
   * @param path may be null
   */
  public static Input of(Path path, Terminal terminal) throws IOException {
    if (path == null || path.toString().equals("-")) {
      return standard(terminal);
    }
    if (Files.isDirectory(path)) {
      throw new CommandException(path + " is a folder; name a file.");
    }
    return new Input(Files.newInputStream(path), path.toString(), Files.size(path), false);
  }

  /** Closes a file, but not standard input, which belongs to the process. */
  @Override
  public void close() throws IOException {
    if (!name.equals(STANDARD)) {
      stream.close();
    }
  }
}
