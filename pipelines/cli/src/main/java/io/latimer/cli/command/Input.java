package io.latimer.cli.command;

import io.latimer.cli.terminal.ByteProgress;
import io.latimer.cli.terminal.Terminal;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a command reads: a file, or the standard input.
 *
 * @param name for messages
 * @param size in bytes; 0 where it is not known
 * @param typed whether a person may be typing it
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
   * A file; the standard input where there is none, or it is {@code -}.
   *
   * @param path null for none
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

  /** Closes a file; the standard input belongs to the process. */
  @Override
  public void close() throws IOException {
    if (!name.equals(STANDARD)) {
      stream.close();
    }
  }
}
