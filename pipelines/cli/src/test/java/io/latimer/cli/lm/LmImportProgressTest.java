package io.latimer.cli.lm;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class LmImportProgressTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream stream = new PrintStream(bytes, false, StandardCharsets.UTF_8);
  private final Terminal terminal =
      new Terminal(InputStream.nullInputStream(), stream, stream, false, true, true, 100);
  private final AtomicLong clock = new AtomicLong();
  private final LmImportProgress progress = new LmImportProgress(terminal, clock::get);

  @Test
  void showsWhereItIsHowFastAndTheTimeLeft() {
    clock.set(10_000_000_000L);
    progress.at(3, 5_000_000, 20_000_000);
    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            "3-grams  5,000,000 of 20,000,000 n-grams  500,000 a second  0:10  25 %, 0:30 left");
  }

  @Test
  void redrawsNowAndThenButSaysAtOnceThatItWrites() {
    clock.set(1_000_000);
    progress.at(1, 1000, 2000);
    assertThat(bytes.size()).isZero();
    progress.at(0, 2000, 2000);
    assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo("2,000 n-grams read, writing");
  }

  @Test
  void showsItWhoeverTypes() {
    Terminal typed =
        new Terminal(InputStream.nullInputStream(), stream, stream, true, true, true, 100);
    LmImportProgress shown = new LmImportProgress(typed, clock::get);
    clock.set(1_000_000_000);
    shown.at(2, 0, 400);
    shown.at(2, 100, 400);
    clock.set(2_000_000_000);
    shown.at(2, 200, 400);
    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .startsWith("2-grams  0 of 400 n-grams  0 a second  0:01")
        .endsWith("2-grams  200 of 400 n-grams  100 a second  0:02  50 %, 0:02 left");
  }

  /** Within a twentieth of what KenLM says of two models. */
  @Test
  void knowsWhatKenlmWouldTake() {
    List<Long> pruned = List.of(115_446L, 649_664L, 1_157_713L, 919_337L, 480_210L);
    assertThat(KenlmSizes.probing(pruned)).isBetween(74_100_000L, 81_900_000L);
    assertThat(KenlmSizes.trie(pruned)).isBetween(38_950_000L, 43_050_000L);
    List<Long> whole = List.of(115_446L, 1_858_459L, 5_844_177L, 9_177_357L, 10_459_065L);
    assertThat(KenlmSizes.probing(whole)).isBetween(567_000_000L, 627_000_000L);
    assertThat(KenlmSizes.trie(whole)).isBetween(271_000_000L, 301_000_000L);
  }
}
