package io.latimer.pipelines.feed.text;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A parser of server-sent events (WHATWG HTML, 9.2.6). An incomplete event at the end of the stream
 * is dropped, as the standard requires: the server sends it again.
 */
public final class EventStream {
  private static final int BUFFER_BYTES = 1 << 14;
  private static final int MAX_NAME_BYTES = 64;
  private static final int MAX_ID_BYTES = 1 << 13;
  private static final Duration LONGEST_RETRY = Duration.ofMinutes(1);
  private static final Duration LONGEST_LINE = Duration.ofMinutes(5);

  private final InputStream in;
  private final LongSupplier nanos;
  private final int maxDataBytes;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int next;
  private int end;
  private boolean afterCarriageReturn;
  private boolean first = true;
  private String lastId = "";
  private Duration retry = Duration.ZERO;

  // the line being read: its field's name up to the colon, and its value
  private final ByteArrayOutputStream name = new ByteArrayOutputStream();
  private final ByteArrayOutputStream value = new ByteArrayOutputStream();
  private boolean colon;
  private boolean cut;
  private boolean begun;
  private long begunAt;

  /**
   * An event.
   *
   * @param id the id of the last event with one; empty if there was none
   * @param type the event's type; "message" if it has none
   * @param data its lines, separated by line feeds; truncated if it is too long
   * @param whole whether the data is complete
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Event(String id, String type, byte[] data, boolean whole) {}

  /**
   * Reads events.
   *
   * @param maxDataBytes maximum length of an event's data; the rest is skipped
   * @param nanos a clock in nanoseconds
   */
  public EventStream(InputStream in, int maxDataBytes, LongSupplier nanos) {
    this.in = in;
    this.nanos = nanos;
    this.maxDataBytes = maxDataBytes;
  }

  /** How long the server wants readers to wait before they reconnect; zero if unknown. */
  public Duration retry() {
    return retry;
  }

  /**
   * Waits for the next event with data.
   *
   * @return null at the end of the stream
   */
  public Event next() throws IOException {
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    boolean any = false;
    boolean whole = true;
    String type = "";
    while (readLine()) {
      if (name.size() == 0 && !colon) {
        if (any) {
          return new Event(lastId, type.isEmpty() ? "message" : type, data.toByteArray(), whole);
        }
        type = "";
        continue;
      }
      switch (name.toString(StandardCharsets.UTF_8)) {
        case "data" -> {
          if (any && data.size() < maxDataBytes) {
            data.write('\n');
          }
          any = true;
          int kept = Math.min(value.size(), maxDataBytes - data.size());
          data.write(value.toByteArray(), 0, kept);
          whole &= kept == value.size() && !cut;
        }
        case "event" -> type = cut ? "" : value.toString(StandardCharsets.UTF_8);
        case "id" -> id();
        case "retry" -> retry(value.toString(StandardCharsets.UTF_8));
        default -> {} // a comment, which has no name, or an unknown field
      }
    }
    return null;
  }

  /** Sets the id; ignores one that no header can contain, because it could not be sent back. */
  private void id() {
    String id = value.toString(StandardCharsets.UTF_8);
    if (!cut && id.length() <= MAX_ID_BYTES && id.chars().allMatch(c -> c >= ' ' && c < 0x7f)) {
      lastId = id;
    }
  }

  private void retry(String text) {
    if (text.matches("[0-9]{1,9}")) {
      Duration asked = Duration.ofMillis(Long.parseLong(text));
      retry = asked.compareTo(LONGEST_RETRY) > 0 ? LONGEST_RETRY : asked;
    }
  }

  /** Reads a line into name and value; false at the end of the stream, even within a line. */
  private boolean readLine() throws IOException {
    name.reset();
    value.reset();
    colon = false;
    cut = false;
    begun = false;
    boolean space = false; // the space after the colon is not part of the value
    while (true) {
      int b = read();
      if (b < 0) {
        return false;
      }
      if (!begun) {
        begun = true;
        begunAt = nanos.getAsLong();
      }
      if (b == '\n' && afterCarriageReturn) {
        afterCarriageReturn = false;
        continue;
      }
      afterCarriageReturn = b == '\r';
      if (b == '\n' || b == '\r') {
        if (first) {
          dropByteOrderMark();
        }
        first = false;
        return true;
      }
      if (!colon) {
        if (b == ':') {
          colon = true;
          space = true;
        } else if (name.size() < MAX_NAME_BYTES) {
          name.write(b);
        }
      } else if (space && b == ' ') {
        space = false;
      } else if (value.size() < Math.max(maxDataBytes, MAX_ID_BYTES)) {
        space = false;
        value.write(b);
      } else {
        cut = true;
      }
    }
  }

  private void dropByteOrderMark() {
    byte[] bytes = name.toByteArray();
    if (bytes.length >= 3
        && bytes[0] == (byte) 0xef
        && bytes[1] == (byte) 0xbb
        && bytes[2] == (byte) 0xbf) {
      name.reset();
      name.write(bytes, 3, bytes.length - 3);
    }
  }

  private int read() throws IOException {
    if (next == end) {
      // a server that trickles bytes must not block the reader forever
      if (begun && nanos.getAsLong() - begunAt > LONGEST_LINE.toNanos()) {
        throw new IOException(
            "the server did not send a whole line within " + LONGEST_LINE.toSeconds() + " s");
      }
      end = Math.max(0, in.read(buffer));
      next = 0;
      if (end == 0) {
        return -1;
      }
    }
    return buffer[next++] & 0xff;
  }
}
