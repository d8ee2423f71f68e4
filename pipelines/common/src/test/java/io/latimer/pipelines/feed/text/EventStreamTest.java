package io.latimer.pipelines.feed.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** The examples of the standard (WHATWG HTML, 9.2.6), and what a hostile server may send. */
class EventStreamTest {
  private static List<String> events(String stream) throws IOException {
    List<String> whole = read(new ByteArrayInputStream(utf8(stream)), 1_000);
    // a byte at a time, as a slow sender's arrive
    assertThat(read(slow(utf8(stream)), 1_000)).isEqualTo(whole);
    return whole;
  }

  private static List<String> read(InputStream in, int most) throws IOException {
    EventStream stream = new EventStream(in, most, () -> 0);
    List<String> events = new ArrayList<>();
    for (EventStream.Event e = stream.next(); e != null; e = stream.next()) {
      String data = new String(e.data(), StandardCharsets.UTF_8);
      events.add(e.type() + "|" + e.id() + "|" + data + (e.whole() ? "" : "|cut"));
    }
    return events;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static InputStream slow(byte[] bytes) {
    return new ByteArrayInputStream(bytes) {
      @Override
      public synchronized int read(byte[] to, int from, int length) {
        return super.read(to, from, Math.min(1, length));
      }
    };
  }

  @Test
  void theExamplesOfTheStandard() throws IOException {
    assertThat(events("data: YHOO\ndata: +2\ndata: 10\n\n"))
        .containsExactly("message||YHOO\n+2\n10");
    assertThat(
            events(
                """
                : test stream

                data: first event
                id: 1

                data:second event
                id

                data:  third event

                """))
        .containsExactly("message|1|first event", "message||second event", "message|| third event");
    // the last block is dropped: no blank line ends it
    assertThat(events("data\n\ndata\ndata\n\ndata:")).containsExactly("message||", "message||\n");
    assertThat(events("data:test\n\ndata: test\n\n"))
        .containsExactly("message||test", "message||test");
    assertThat(events("event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\n"))
        .containsExactly("add||73857293", "remove||2153");
  }

  @Test
  void linesEndInThreeWays() throws IOException {
    assertThat(events("\ufeffdata: a\r\ndata: b\r\r\ndata: c\n\rdata: d\r\r"))
        .containsExactly("message||a\nb", "message||c", "message||d");
  }

  @Test
  void anIdLastsUntilTheNextAndAnImpossibleOneIsIgnored() throws IOException {
    assertThat(
            events(
                """
                id: 5
                data: a

                data: b

                id: 6

                data: c

                id: \0
                data: d

                id: \u00fc
                data: e

                """))
        .containsExactly("message|5|a", "message|5|b", "message|6|c", "message|6|d", "message|6|e");
  }

  @Test
  void anEventOrALineWithoutEndTakesNoMoreMemory() throws IOException {
    String event = "data: " + "x".repeat(300_000) + "\n".repeat(1) + "data: y\n".repeat(10_000);
    assertThat(read(new ByteArrayInputStream(utf8(event + "id: 1\n\ndata: next\n\n")), 10))
        .containsExactly("message|1|xxxxxxxxxx|cut", "message|1|next");
    InputStream endless =
        new InputStream() {
          private long left = 64L << 20;

          @Override
          public int read() {
            return left-- > 0 ? 'x' : -1;
          }

          @Override
          public int read(byte[] bytes, int from, int length) {
            int n = (int) Math.min(length, left);
            left -= n;
            java.util.Arrays.fill(bytes, from, from + n, (byte) 'x');
            return n == 0 ? -1 : n;
          }
        };
    assertThat(read(endless, 10)).isEmpty();
  }

  @Test
  void theServerSaysHowLongToWait() throws IOException {
    EventStream stream =
        new EventStream(
            new ByteArrayInputStream(utf8("retry: 2500\nretry: x\ndata: a\n\nretry: 99999999\n")),
            9,
            () -> 0);
    stream.next();
    assertThat(stream.retry()).isEqualTo(Duration.ofMillis(2500));
    assertThat(stream.next()).isNull();
    assertThat(stream.retry()).isEqualTo(Duration.ofMinutes(1));
  }

  /** A byte each 50 seconds is no silence, and a stream of whole lines may be as slow. */
  @Test
  void aLineThatNeverEndsIsGivenUp() throws IOException {
    AtomicLong nanos = new AtomicLong();
    LongSupplier clock = () -> nanos.addAndGet(Duration.ofSeconds(25).toNanos());
    EventStream slow = new EventStream(slow(utf8("data: a\n:\n:\n:\n:\n:\n:\n:\n\n")), 9, clock);
    assertThat(slow.next().data()).asString(StandardCharsets.UTF_8).isEqualTo("a");
    EventStream endless = new EventStream(slow(utf8("data: aaaaaaaaaaaaaaaaaaaa")), 9, clock);
    assertThatThrownBy(endless::next)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("a whole line within 300 s");
  }
}
