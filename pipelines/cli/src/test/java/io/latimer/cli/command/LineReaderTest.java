package io.latimer.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LineReaderTest {

  private static List<InputLine> read(byte[] input) throws IOException {
    LineReader reader = new LineReader(new ByteArrayInputStream(input));
    List<InputLine> lines = new ArrayList<>();
    for (InputLine line = reader.next(); line != null; line = reader.next()) {
      lines.add(line);
    }
    return lines;
  }

  private static List<String> texts(String input) throws IOException {
    return read(input.getBytes(StandardCharsets.UTF_8)).stream().map(InputLine::text).toList();
  }

  @Test
  void linesEndWithLineFeedsAndNothingElse() throws IOException {
    assertThat(texts("")).isEmpty();
    assertThat(texts("a")).containsExactly("a");
    assertThat(texts("a\n")).containsExactly("a");
    assertThat(texts("\n\nü 😂\r\n")).containsExactly("", "", "ü 😂");
    assertThat(texts("a\rb\u2028c\u0085d\n\r\n")).containsExactly("a\rb\u2028c\u0085d", "");
  }

  @Test
  void bytesAndNumbersAreCountedToTheEnd() throws IOException {
    List<InputLine> lines = read("ä\r\nb".getBytes(StandardCharsets.UTF_8));
    assertThat(lines).extracting(InputLine::number).containsExactly(1L, 2L);
    assertThat(lines).extracting(InputLine::bytes).containsExactly(4L, 1L);
  }

  @Test
  void whatIsNotUtf8IsAProblemOfItsLineOnly() throws IOException {
    List<InputLine> lines = read(new byte[] {'a', '\n', (byte) 0xC3, '\n', 'b', '\n'});
    assertThat(lines).extracting(InputLine::text).containsExactly("a", "", "b");
    assertThat(lines.get(1).problem()).hasValueSatisfying(p -> assertThat(p).contains("UTF-8"));
    assertThat(lines.get(2).problem()).isEmpty();
  }

  @Test
  void aLineMayBeAMebibyteLongAndNotAByteMore() throws IOException {
    byte[] input = ("x".repeat(LineReader.MAX_BYTES) + "\nnext").getBytes(StandardCharsets.UTF_8);
    assertThat(read(input).get(0).text()).hasSize(LineReader.MAX_BYTES);
    byte[] longer =
        ("x".repeat(LineReader.MAX_BYTES + 1) + "\nnext").getBytes(StandardCharsets.UTF_8);
    List<InputLine> lines = read(longer);
    assertThat(lines.get(0).problem()).hasValueSatisfying(p -> assertThat(p).contains("1048576"));
    assertThat(lines.get(0).bytes()).isEqualTo(LineReader.MAX_BYTES + 2);
    assertThat(lines.get(1).text()).isEqualTo("next");
  }

  @Test
  void aLineMayBeLongerThanAnIntCanSay() throws IOException {
    long length = (1L << 31) + (1 << 20);
    InputStream endless =
        new InputStream() {
          private long left = length;

          @Override
          public int read() {
            throw new AssertionError("byte by byte");
          }

          @Override
          public int read(byte[] bytes, int from, int most) {
            int read = (int) Math.min(most, left);
            left -= read;
            Arrays.fill(bytes, from, from + read, (byte) 'x');
            return read == 0 ? -1 : read;
          }
        };
    LineReader reader =
        new LineReader(
            new SequenceInputStream(
                endless, new ByteArrayInputStream("\nnext".getBytes(StandardCharsets.UTF_8))));
    InputLine line = reader.next();
    assertThat(line.problem()).hasValueSatisfying(p -> assertThat(p).contains("1048576"));
    assertThat(line.bytes()).isEqualTo(length + 1);
    assertThat(reader.next().text()).isEqualTo("next");
    assertThat(reader.next()).isNull();
  }
}
