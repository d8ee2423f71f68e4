package io.latimer.pipelines.feed.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ByteLinesTest {
  private static List<String> lines(InputStream stream, int kept) throws IOException {
    List<String> all = new ArrayList<>();
    try (ByteLines lines = new ByteLines(stream, kept)) {
      for (byte[] line = lines.read(); line != null; line = lines.read()) {
        all.add(new String(line, StandardCharsets.ISO_8859_1));
      }
    }
    return all;
  }

  private static List<String> lines(String text, int kept) throws IOException {
    return lines(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)), kept);
  }

  @Test
  void linesEndWithOrWithoutACarriageReturn() throws IOException {
    assertThat(lines("one\r\ntwo\n\nfour\r", 9)).containsExactly("one", "two", "", "four\r");
    assertThat(lines("", 9)).isEmpty();
  }

  @Test
  void aCarriageReturnMayEndALineByItself() throws IOException {
    byte[] text = "one\rtwo\r\nthree\n\r\r\n\nfour\r".getBytes(UTF_8);
    for (int piece = 1; piece <= text.length; piece++) {
      int most = piece;
      InputStream inPieces =
          new ByteArrayInputStream(text) {
            @Override
            public synchronized int read(byte[] to, int from, int length) {
              return super.read(to, from, Math.min(most, length));
            }
          };
      List<String> all = new ArrayList<>();
      try (ByteLines lines = new ByteLines(inPieces, 9, true)) {
        for (byte[] line = lines.read(); line != null; line = lines.read()) {
          all.add(new String(line, UTF_8));
        }
        assertThat(lines.consumed()).isEqualTo(text.length);
      }
      assertThat(all).containsExactly("one", "two", "three", "", "", "", "four");
    }
  }

  @Test
  void theRestOfALongLineIsReadOver() throws IOException {
    assertThat(lines("abcdefgh\nnext\nabcde\nabcdef", 5))
        .containsExactly("abcde", "next", "abcde", "abcde");
  }

  /** Otherwise a long line would look like one of the maximum length. */
  @Test
  void aCarriageReturnWithinALongLineIsNoLineEnd() throws IOException {
    assertThat(lines("abcd\refgh\nabcd\r\n", 5)).containsExactly("abcd\r", "abcd");
  }

  /** More than an array can hold, so it can only pass if it is not kept. */
  @Test
  void aLineOfAnyLengthTakesNoMoreMemoryThanIsKept() throws IOException {
    InputStream endless =
        new InputStream() {
          private long left = 3L << 30;

          @Override
          public int read() {
            return left-- > 0 ? 'x' : -1;
          }

          @Override
          public int read(byte[] bytes, int from, int length) {
            // the buffer is full of zeros, which will do
            int count = (int) Math.min(left, length);
            left -= count;
            return count == 0 ? -1 : count;
          }
        };
    assertThat(lines(endless, 7)).containsExactly("\0".repeat(7));
  }

  /** A long line that comes in small pieces must not be read again for each of them. */
  @Test
  void aLineGoesOnWhereItsStreamEndedForNow() throws IOException {
    List<String> pieces = new ArrayList<>(List.of("one\ntw", "o", "", "345\r", "\nthree\n"));
    InputStream growing =
        new InputStream() {
          @Override
          public int read() {
            throw new UnsupportedOperationException();
          }

          @Override
          public int read(byte[] bytes, int from, int length) {
            byte[] piece = pieces.isEmpty() ? new byte[0] : pieces.remove(0).getBytes(UTF_8);
            System.arraycopy(piece, 0, bytes, from, piece.length);
            if (piece.length > 0) {
              pieces.add(0, ""); // and then there is no more for now
            }
            return piece.length == 0 ? -1 : piece.length;
          }
        };
    ByteLines lines = new ByteLines(growing, 5);
    assertThat(lines.read()).asString(UTF_8).isEqualTo("one");
    assertThat(lines.read()).asString(UTF_8).isEqualTo("tw");
    assertThat(lines.goOn()).asString(UTF_8).isEqualTo("two");
    assertThat(lines.complete()).isFalse();
    assertThat(lines.goOn()).asString(UTF_8).isEqualTo("two");
    assertThat(lines.goOn()).asString(UTF_8).isEqualTo("two34"); // no more is kept
    assertThat(lines.complete()).isFalse();
    assertThat(lines.goOn()).asString(UTF_8).isEqualTo("two34");
    assertThat(lines.complete()).isTrue();
    assertThat(lines.consumed()).isEqualTo("one\ntwo345\r\n".length());
    assertThat(lines.read()).asString(UTF_8).isEqualTo("three");
    assertThat(lines.read()).isNull();
    assertThat(lines.goOn()).isNull();
  }
}
