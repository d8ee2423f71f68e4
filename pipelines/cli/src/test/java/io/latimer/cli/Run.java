package io.latimer.cli;

import io.latimer.cli.terminal.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * One run of the program in this process.
 *
 * @param exitCode what the process would end with
 * @param out all that it wrote to the standard output
 * @param err all that it wrote to the standard error
 */
public record Run(int exitCode, String out, String err) {

  public static Run of(String... args) {
    return withInput("", args);
  }

  public static Run withInput(String input, String... args) {
    return withInput(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), args);
  }

  public static Run withInput(InputStream input, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exitCode = Latimer.run(terminal(input, out, err), args);
    return new Run(
        exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  /** A terminal of pipes. */
  public static Terminal terminal(InputStream input, OutputStream out, OutputStream err) {
    return new Terminal(
        input,
        new PrintStream(out, false, StandardCharsets.UTF_8),
        new PrintStream(err, false, StandardCharsets.UTF_8),
        false,
        false,
        false,
        0);
  }
}
