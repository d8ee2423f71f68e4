package io.latimer.cli.translate;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.command.InputLine;
import io.latimer.cli.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class ProgressTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream stream = new PrintStream(bytes, false, StandardCharsets.UTF_8);
  private final Terminal terminal =
      new Terminal(InputStream.nullInputStream(), stream, stream, false, true, true, 100);
  private final AtomicLong clock = new AtomicLong();

  @Test
  void showsCountsSpeedAndTimeLeft() {
    Progress progress = new Progress(terminal, false, 100, clock::get);
    clock.set(10_000_000_000L);
    progress.add(new InputLine(1, "four words are here", Optional.empty(), 25));
    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .isEqualTo("1 sentences  0 words/s  0:10  25 %, 0:30 left");
  }

  @Test
  void knowsNoTimeLeftWithoutASize() {
    Progress progress = new Progress(terminal, false, 0, clock::get);
    clock.set(3_661_000_000_000L);
    progress.add(new InputLine(1, "word", Optional.empty(), 5));
    assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo("1 sentences  0 words/s  1:01:01");
  }

  @Test
  void doesNotGuessTheTimeLeftTooEarly() {
    Progress progress = new Progress(terminal, false, 100, clock::get);
    clock.set(1_000_000_000L);
    progress.add(new InputLine(1, "two words", Optional.empty(), 25));
    assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo("1 sentences  2 words/s  0:01");
  }

  @Test
  void redrawsNowAndThenAndNotForEveryLine() {
    Progress progress = new Progress(terminal, false, 0, clock::get);
    for (int i = 0; i < 100; i++) {
      clock.addAndGet(1_000_000);
      progress.add(new InputLine(i + 1, "word", Optional.empty(), 5));
    }
    assertThat(bytes.size()).isZero();
  }
}
