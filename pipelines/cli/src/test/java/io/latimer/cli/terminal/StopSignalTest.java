package io.latimer.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.terminal.StopSignal.Meaning;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a process does with signals is in InterruptTest. */
class StopSignalTest {
  private static final int INT = 2;
  private static final int TERM = 15;

  @Test
  void whatComesTwiceAtOnceIsOneSignal() {
    AtomicLong nanos = new AtomicLong(-5);
    try (StopSignal stop = new StopSignal(Duration.ZERO, nanos::get)) {
      assertThat(stop.isRaised()).isFalse();
      assertThat(stop.take(TERM)).isEqualTo(Meaning.STOP);
      nanos.addAndGet(Duration.ofMillis(499).toNanos());
      assertThat(stop.take(INT)).isEqualTo(Meaning.THE_SAME);
      assertThat(stop.exitCode()).isEqualTo(143);
      nanos.addAndGet(Duration.ofMillis(1).toNanos());
      assertThat(stop.take(INT)).isEqualTo(Meaning.END_AT_ONCE);
      assertThat(stop.exitCode()).isEqualTo(130);
    }
  }
}
