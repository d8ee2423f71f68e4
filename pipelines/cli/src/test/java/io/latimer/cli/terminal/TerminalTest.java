package io.latimer.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class TerminalTest {
  private static final String CLEAR = "\r\u001b[K";

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  private Terminal terminal(boolean isTerminal) {
    PrintStream both = new PrintStream(bytes, false, StandardCharsets.UTF_8);
    return new Terminal(
        InputStream.nullInputStream(), both, both, false, isTerminal, isTerminal, 20);
  }

  private String written() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void theStatusLineStaysBelowWhatIsPrinted() {
    Terminal terminal = terminal(true);
    terminal.status("one");
    terminal.result("result");
    terminal.message("message");
    terminal.status("");
    assertThat(written()).isEqualTo("one" + CLEAR + "result\none" + CLEAR + "message\none" + CLEAR);
  }

  @Test
  void aStatusLineNeverWraps() {
    terminal(true).status("123456789012345678901234567890");
    assertThat(written()).isEqualTo("123456789012345678…");
  }

  @Test
  void aStatusLineFollowsTheTerminalsWidth() {
    Terminal terminal = terminal(true);
    terminal.status("123456789012345678901234567890");
    terminal.resize(11);
    assertThat(written()).endsWith(CLEAR + "123456789…");
    terminal.resize(40);
    assertThat(written()).endsWith(CLEAR + "123456789012345678901234567890");
    terminal.resize(0);
    assertThat(terminal.columns()).isEqualTo(40);
  }

  @Test
  void whatIsNotATerminalGetsNoStatusAndNoControlCharacters() {
    Terminal terminal = terminal(false);
    terminal.status("one");
    terminal.result("größer 😂");
    terminal.message("message");
    assertThat(written()).isEqualTo("größer 😂\nmessage\n");
  }
}
