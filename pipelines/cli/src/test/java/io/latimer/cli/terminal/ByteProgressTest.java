package io.latimer.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class ByteProgressTest {
  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
  private final AtomicLong clock = new AtomicLong();

  private ByteProgress progress(boolean inIsTerminal, long totalBytes) {
    PrintStream stream = new PrintStream(shown, false, StandardCharsets.UTF_8);
    return new ByteProgress(
        new Terminal(InputStream.nullInputStream(), stream, stream, inIsTerminal, true, true, 100),
        totalBytes,
        clock::get);
  }

  private String shown() {
    String text = shown.toString(StandardCharsets.UTF_8);
    shown.reset();
    return text;
  }

  @Test
  void showsBytesSpeedAndFromTwoSecondsOnTheTimeLeft() {
    ByteProgress progress = progress(false, 4_000_000_000L);
    clock.set(1_000_000_000);
    progress.add(500_000_000);
    assertThat(shown()).isEqualTo("500.0 MB  500.0 MB/s  0:01");
    clock.set(4_000_000_000L);
    progress.add(500_000_000);
    assertThat(shown()).endsWith("1,000.0 MB  250.0 MB/s  0:04  25 %, 0:12 left");
  }

  @Test
  void redrawsNowAndThenAndLeavesTheTotals() {
    ByteProgress progress = progress(false, 0);
    for (int i = 0; i < 100; i++) {
      clock.addAndGet(1_000_000);
      progress.add(1_000_000);
    }
    assertThat(shown()).isEmpty();
    clock.set(2_000_000_000);
    progress.end();
    assertThat(shown()).isEqualTo("100.0 MB  50.0 MB/s  0:02\n");
  }

  @Test
  void onesOwnTypingIsNotInterrupted() {
    ByteProgress progress = progress(true, 0);
    clock.set(1_000_000_000);
    progress.add(10);
    progress.end();
    assertThat(shown()).isEmpty();
  }
}
