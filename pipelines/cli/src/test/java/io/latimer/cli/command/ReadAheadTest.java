package io.latimer.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60) // a hang is a failure
final class ReadAheadTest {

  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void everyLineComesOnceInOrderInChunksOfAtMostTheGivenSize() throws Exception {
    StringBuilder text = new StringBuilder();
    for (int i = 1; i <= 1000; i++) {
      text.append(i).append('\n');
    }
    ReadAhead input = new ReadAhead(bytes(text.toString()), 64);
    List<Long> numbers = new ArrayList<>();
    for (List<InputLine> chunk = input.next(); !chunk.isEmpty(); chunk = input.next()) {
      assertThat(chunk).hasSizeLessThanOrEqualTo(64);
      chunk.forEach(line -> numbers.add(Long.valueOf(line.text())));
    }
    assertThat(numbers).hasSize(1000).isSorted().doesNotHaveDuplicates();
    assertThat(input.next()).isEmpty();
  }

  @Test
  void whoTypesALineNeedNotTypeAnother() throws Exception {
    PipedOutputStream typed = new PipedOutputStream();
    ReadAhead input = new ReadAhead(new PipedInputStream(typed), 64);
    typed.write("one\n".getBytes(StandardCharsets.UTF_8));
    typed.flush();
    assertThat(input.next()).extracting(InputLine::text).containsExactly("one");
    typed.close();
    assertThat(input.next()).isEmpty();
  }

  @Test
  void itReadsABoundedWayAhead() throws Exception {
    AtomicLong read = new AtomicLong();
    InputStream endless =
        new InputStream() {
          @Override
          public int read() {
            return read.incrementAndGet() % 1024 == 0 ? '\n' : 'x';
          }

          @Override
          public int read(byte[] bytes, int from, int length) {
            for (int i = 0; i < length; i++) {
              bytes[from + i] = (byte) read();
            }
            return length;
          }
        };
    ReadAhead input = new ReadAhead(endless, 1 << 20);
    long before = -1;
    while (read.get() != before) { // until it waits
      before = read.get();
      Thread.sleep(200);
    }
    assertThat(before).isBetween(4L << 20, (4L << 20) + (1 << 18));
    assertThat(input.next()).hasSizeBetween(4 << 10, (4 << 10) + 256);
  }

  @Test
  void whatCannotBeReadIsAnErrorAfterTheLinesBeforeIt() throws Exception {
    InputStream broken = new PipedInputStream(); // without an other end
    ReadAhead input = new ReadAhead(new SequenceInputStream(bytes("one\ntwo\n"), broken), 1);
    assertThat(input.next()).extracting(InputLine::text).containsExactly("one");
    assertThat(input.next()).extracting(InputLine::text).containsExactly("two");
    assertThatThrownBy(input::next)
        .isInstanceOf(IOException.class)
        .hasMessage("Pipe not connected");
  }

  @Test
  void whateverEndsTheReadingIsThrownToWhoWaits() throws Exception {
    for (Throwable thrown :
        List.of(new IllegalStateException("broken"), new OutOfMemoryError("full"))) {
      InputStream broken =
          new InputStream() {
            @Override
            public int read() {
              if (thrown instanceof RuntimeException e) {
                throw e;
              }
              throw (Error) thrown;
            }

            @Override
            public int read(byte[] bytes, int from, int length) {
              return read();
            }
          };
      ReadAhead input = new ReadAhead(new SequenceInputStream(bytes("one\n"), broken), 1);
      assertThat(input.next()).extracting(InputLine::text).containsExactly("one");
      assertThatThrownBy(input::next).isSameAs(thrown);
      assertThat(input.next()).isEmpty();
    }
  }
}
