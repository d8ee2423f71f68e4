package io.latimer.cli.command;

import io.latimer.cli.terminal.Terminal;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The output of a command: a file, which is replaced only when complete, or standard output.
 * Closing it without {@link #commit} keeps the old file.
 */
public final class Output implements AutoCloseable {
  private final OutputStream stream;
  private final Optional<ReplacedFile> file;

  private Output(OutputStream stream, Optional<ReplacedFile> file) {
    this.stream = stream;
    this.file = file;
  }

  /**
   * Opens a file, or standard output if the path is null.
   *
   * @param path may be null
   */
  public static Output of(Path path, Terminal terminal) throws IOException {
    if (path == null) {
      return new Output(new Results(terminal), Optional.empty());
    }
    ReplacedFile file = new ReplacedFile(path);
    return new Output(file.out(), Optional.of(file));
  }

  /** The stream for results, unbuffered. */
  public OutputStream stream() {
    return stream;
  }

  /** Replaces the file; does nothing for the standard output. */
  public void commit() throws IOException {
    if (file.isPresent()) {
      file.get().commit();
    }
  }

  @Override
  public void close() throws IOException {
    if (file.isPresent()) {
      file.get().close();
    }
  }

  /** The standard output. */
  private static final class Results extends OutputStream {
    private final Terminal terminal;

    Results(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public void write(int b) {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
      terminal.results(bytes, from, length);
    }
  }
}
