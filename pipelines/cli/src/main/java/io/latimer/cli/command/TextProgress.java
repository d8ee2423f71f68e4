package io.latimer.cli.command;

import io.latimer.cli.terminal.ByteProgress;
import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.util.BuildProgress;

/**
 * Shows the progress of building a model from text: the progress line of reading, then each step.
 */
public final class TextProgress implements BuildProgress {
  private final Terminal terminal;
  private final ByteProgress bytes;
  private boolean reading = true;

  /**
   * Shows the progress line.
   *
   * @param bytes progress of reading the text
   */
  public TextProgress(Terminal terminal, ByteProgress bytes) {
    this.terminal = terminal;
    this.bytes = bytes;
  }

  @Override
  public void read(long read) {
    bytes.add(read);
  }

  @Override
  public void step(String what) {
    if (reading) {
      bytes.end();
      reading = false;
    }
    terminal.status(what + " ...");
  }
}
