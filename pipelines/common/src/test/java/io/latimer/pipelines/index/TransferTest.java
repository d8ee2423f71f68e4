package io.latimer.pipelines.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexFormatException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransferTest {
  @TempDir Path folder;
  private Path file;
  private long now;

  @BeforeEach
  void make() throws IOException {
    file = Files.writeString(folder.resolve("file"), "what was there before, and is longer");
  }

  private Transfer.Received write(byte[] bytes, long announced, long max) throws IOException {
    return write(new ByteArrayInputStream(bytes), announced, max);
  }

  private Transfer.Received write(InputStream bytes, long announced, long max) throws IOException {
    return new Transfer(max, () -> now)
        .write(new IndexSource.Content(bytes, announced), file, "s3://bucket/x");
  }

  @Test
  void allBytesAreWrittenAndHashed() throws IOException {
    String sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    byte[] abc = {'a', 'b', 'c'};
    assertThat(write(abc, 3, 3)).isEqualTo(new Transfer.Received(sha256, true));
    assertThat(file).hasBinaryContent(abc);
    assertThat(write(abc, -1, 3)).isEqualTo(new Transfer.Received(sha256, false));
  }

  @Test
  void theLengthMustBeTheOneAnnouncedAndWithinTheLimit() {
    byte[] bytes = new byte[1000];
    assertThatThrownBy(() -> write(bytes, 1001, 2000))
        .isInstanceOf(IOException.class)
        .hasMessage("it ended after 1000 of 1001 bytes");
    assertThatThrownBy(() -> write(bytes, 999, 2000))
        .isInstanceOf(IOException.class)
        .hasMessage("more came than the 999 bytes announced");
    for (long announced : new long[] {1000, -1}) {
      assertThatThrownBy(() -> write(bytes, announced, 999))
          .isInstanceOf(IndexFormatException.class)
          .hasMessageContaining("s3://bucket/x has 1000 bytes or more")
          .hasMessageContaining("may have 999");
    }
  }

  /** Sends a few bytes at a time, each after some time. */
  private final class Slow extends InputStream {
    private final int bytes;
    private final Duration each;
    private int left = 100;

    Slow(int bytes, Duration each) {
      this.bytes = bytes;
      this.each = each;
    }

    @Override
    public int read() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int read(byte[] buffer, int offset, int length) {
      now += each.toNanos();
      return left-- > 0 ? bytes : -1;
    }
  }

  @Test
  void aSourceThatDripsIsGivenUp() throws IOException {
    assertThatThrownBy(() -> write(new Slow(1, Duration.ofSeconds(5)), -1, 1 << 30))
        .isInstanceOf(IOException.class)
        .hasMessage("only 13 bytes came in 65 s");
    assertThat(write(new Slow(6000, Duration.ofSeconds(5)), 600_000, 1 << 30).complete()).isTrue();
  }

  @Test
  void aFileThatCannotBeWrittenIsNotTheSourcesFault() throws IOException {
    Files.delete(file);
    assertThatThrownBy(() -> write(new byte[1], 1, 1))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining(file + " cannot be written: no such file");
  }
}
