package io.latimer.cli.terminal;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The outputs of a command: results go to standard output, messages to standard error, both in
 * UTF-8 whatever the locale. If standard error is a terminal, its last line may be a status line,
 * which results and messages push down. Thread-safe.
 */
public final class Terminal {
  private static final String CLEAR_LINE = "\r\u001b[K";
  private static final String BROKEN_PIPE = "Broken pipe";

  private final InputStream in;
  private final OutputStream out;
  private final PrintStream err;
  private final boolean inIsTerminal;
  private final boolean outIsTerminal;
  private final boolean errIsTerminal;
  private int columns;
  private String wanted = "";
  private volatile String status = "";

  /**
   * @param columns width of the terminal in columns; not positive if unknown
   */
  public Terminal(
      InputStream in,
      OutputStream out,
      PrintStream err,
      boolean inIsTerminal,
      boolean outIsTerminal,
      boolean errIsTerminal,
      int columns) {
    this.in = in;
    this.out = out;
    this.err = err;
    this.inIsTerminal = inIsTerminal;
    this.outIsTerminal = outIsTerminal;
    this.errIsTerminal = errIsTerminal;
    this.columns = columns > 0 ? columns : 80;
  }

  /** Replaces a missing standard input. */
  private static final class ClosedInput extends InputStream {
    @Override
    public int read() throws IOException {
      throw new IOException("it is closed");
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      return read();
    }
  }

  /** Distinguishes a closed pipe from other errors, in any locale. */
  private static final class StandardOutput extends FileOutputStream {
    StandardOutput() {
      super(FileDescriptor.out);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      try {
        super.write(bytes, from, length);
      } catch (IOException e) {
        throw standardOutputIsPipe() ? new IOException(BROKEN_PIPE, e) : e;
      }
    }
  }

  /** Writes everything as results: a plain print writer would hide errors. */
  private final class ResultWriter extends Writer {
    private final StringBuilder text = new StringBuilder();

    @Override
    public void write(char[] characters, int from, int length) {
      text.append(characters, from, length);
    }

    @Override
    public void flush() {
      if (text.length() > 0) {
        String whole = text.toString();
        text.setLength(0);
        results(whole);
      }
    }

    @Override
    public void close() {
      flush();
    }
  }

  /** Whether another program reads standard output; unknown on some systems. */
  public static boolean standardOutputIsPipe() {
    try {
      String end = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
      return end.startsWith("pipe:") || end.startsWith("socket:");
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  /**
   * A terminal of the process's own streams; the launcher tells which of them are terminals,
   * because Java cannot.
   */
  public static Terminal ofProcess() {
    String terminals = System.getProperty("latimer.tty", "");
    boolean plain = "dumb".equals(System.getenv("TERM"));
    Terminal terminal =
        new Terminal(
            System.getProperty("latimer.closed", "").contains("0")
                ? new ClosedInput()
                : new FileInputStream(FileDescriptor.in),
            new StandardOutput(),
            new PrintStream(
                new FileOutputStream(FileDescriptor.err), false, StandardCharsets.UTF_8),
            terminals.contains("0"),
            terminals.contains("1"),
            terminals.contains("2") && !plain,
            Integer.getInteger("latimer.columns", 0));
    // Keeps the last line, on which Ctrl-C was printed, and starts a new one for the shell's
    // prompt.
    Runtime.getRuntime().addShutdownHook(new Thread(terminal::leave, "terminal-leave"));
    if (terminal.errIsTerminal) {
      // sent when the terminal is resized; the handler stays until the process ends
      Signals.handle("WINCH", signal -> terminal.resize(width())).ifPresent(restore -> {});
    }
    return terminal;
  }

  /** The width that the terminal reports; 0 if unknown. */
  private static int width() {
    ProcessBuilder stty = new ProcessBuilder("stty", "size");
    stty.redirectInput(new File("/dev/tty")).redirectError(ProcessBuilder.Redirect.DISCARD);
    try (BufferedReader size = stty.start().inputReader(StandardCharsets.US_ASCII)) {
      String line = size.readLine(); // rows and columns
      return line == null ? 0 : Integer.parseInt(line.substring(line.indexOf(' ') + 1).strip());
    } catch (IOException | NumberFormatException e) {
      return 0;
    }
  }

  /** Not synchronized: the thread that holds the lock may be stuck in a full pipe. */
  private void leave() {
    if (!status.isEmpty()) {
      err.print("\n");
      err.flush();
    }
  }

  public InputStream in() {
    return in;
  }

  /** Standard output as a writer, for usage texts. It throws the same exceptions as results. */
  public PrintWriter resultWriter() {
    return new PrintWriter(new ResultWriter(), true);
  }

  /** The standard error as a writer, for usage errors. */
  public PrintWriter messageWriter() {
    return new PrintWriter(new OutputStreamWriter(err, StandardCharsets.UTF_8), true);
  }

  /** Whether standard input is a terminal. */
  public boolean inIsTerminal() {
    return inIsTerminal;
  }

  /** Whether standard output is a terminal. */
  public boolean outIsTerminal() {
    return outIsTerminal;
  }

  /** Whether standard error is a terminal that can show a status line. */
  public boolean errIsTerminal() {
    return errIsTerminal;
  }

  /** The width of the terminal, 80 if unknown. */
  public synchronized int columns() {
    return columns;
  }

  /** Sets the width and adapts the status line; ignores a width that is not positive. */
  public synchronized void resize(int width) {
    if (width <= 0 || width == columns) {
      return;
    }
    columns = width;
    String text = wanted;
    status("");
    status(text);
  }

  /** Writes one line of results; see {@link #results(String)}. */
  public void result(String line) {
    results(line + "\n");
  }

  /**
   * Writes results unchanged.
   *
   * @throws ClosedOutputException when their reader is gone
   * @throws LostOutputException if they cannot be written
   */
  public void results(String text) {
    results(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Writes results that may be binary.
   *
   * @see #results(String)
   */
  public void results(byte[] bytes) {
    results(bytes, 0, bytes.length);
  }

  /**
   * Writes results that may be binary.
   *
   * @see #results(String)
   */
  public synchronized void results(byte[] bytes, int from, int length) {
    hideStatus(outIsTerminal);
    try {
      out.write(bytes, from, length);
      out.flush();
    } catch (IOException e) {
      String reason = String.valueOf(e.getMessage());
      if (reason.contains(BROKEN_PIPE)) {
        throw new ClosedOutputException();
      }
      throw new LostOutputException("cannot write to standard output: " + reason);
    }
    showStatus(outIsTerminal);
  }

  /** Writes one message; a message that cannot be written is dropped. */
  public synchronized void message(String line) {
    hideStatus(true);
    err.print(line + "\n");
    err.flush();
    showStatus(true);
  }

  /** Shows or, with an empty text, removes the status line; does nothing without a terminal. */
  public synchronized void status(String text) {
    if (!errIsTerminal) {
      return;
    }
    wanted = text;
    String fitted = TextWidth.cut(text, columns - 1);
    if (!fitted.equals(status)) {
      hideStatus(true);
      status = fitted;
      showStatus(true);
    }
  }

  private void hideStatus(boolean needed) {
    if (needed && errIsTerminal && !status.isEmpty()) {
      err.print(CLEAR_LINE);
      err.flush();
    }
  }

  private void showStatus(boolean needed) {
    if (needed && errIsTerminal && !status.isEmpty()) {
      err.print(status);
      err.flush();
    }
  }
}
