package io.latimer.cli.phrases;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.phrases.index.PhraseIndexReport;
import io.latimer.operators.phrases.index.PhraseTextFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class IndexProgressTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream stream = new PrintStream(bytes, false, StandardCharsets.UTF_8);
  private final Terminal terminal =
      new Terminal(InputStream.nullInputStream(), stream, stream, true, true, true, 120);
  private final AtomicLong clock = new AtomicLong();

  @Test
  void showsWhatIsReadThenTheStepsThenTheIndex() {
    IndexProgress progress = new IndexProgress(terminal, 40_000_000, clock::get);
    clock.set(10_000_000_000L);
    progress.read(10_000_000);
    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .isEqualTo("reading  10.0 MB  1.0 MB/s  0:10  25 %, 0:30 left");
    progress.step("sorting");
    assertThat(bytes.toString(StandardCharsets.UTF_8)).endsWith("\r\u001b[Ksorting ...");
    progress.end(
        Path.of("x.lpx"), new PhraseIndexReport(1000, 12_345, 13_000, 900, 1100, 2, 1, 2_500_000));
    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .endsWith(
            """
            \r\u001b[Kx.lpx: 1,000 sentence pairs, 12,345 source words (900 distinct), 13,000\
             target words (1,100 distinct), 2 segments, 2.5 MB on disk
            latimer: warning: 1 bad sentence pair was skipped.
            """);
  }

  @Test
  void theSizeOfPackedTextIsNotKnown(@TempDir Path folder) throws IOException {
    Path three = Files.writeString(folder.resolve("three"), "a b");
    Path five = Files.writeString(folder.resolve("five.txt"), "a b c");
    Path packed = Files.writeString(folder.resolve("packed.gz"), "?");
    assertThat(IndexProgress.bytes(new PhraseTextFiles(three, five, three))).isEqualTo(11);
    assertThat(IndexProgress.bytes(new PhraseTextFiles(three, five, packed))).isZero();
    assertThat(IndexProgress.bytes(new PhraseTextFiles(folder.resolve("absent"), five, five)))
        .isEqualTo(10);
  }
}
