package io.latimer.pipelines.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.schemas.Header;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceParentTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String PARENT = "00f067aa0ba902b7";
  private static final String VALID = "00-" + TRACE + "-" + PARENT + "-01";

  @Test
  void aHeaderNamesTheTrace() {
    assertThat(TraceParent.of(List.of(header("other", "x"), header(VALID))))
        .contains(new TraceParent(TRACE, PARENT, true));
  }

  @Test
  void onlyTheLastBitOfTheFlagsSaysThatItIsSampled() {
    assertThat(TraceParent.of(List.of(header("00-" + TRACE + "-" + PARENT + "-02"))))
        .contains(new TraceParent(TRACE, PARENT, false));
    assertThat(TraceParent.of(List.of(header("00-" + TRACE + "-" + PARENT + "-ff"))))
        .contains(new TraceParent(TRACE, PARENT, true));
  }

  @Test
  void laterVersionsMayHaveMore() {
    assertThat(TraceParent.of(List.of(header("01-" + TRACE + "-" + PARENT + "-01-what-ever"))))
        .contains(new TraceParent(TRACE, PARENT, true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "no trace",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n",
        " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
      })
  void anotherFormatNamesNone(String value) {
    assertThat(TraceParent.of(List.of(header(value)))).isEmpty();
  }

  @Test
  void noHeaderNoValueAndSeveralHeadersNameNone() {
    assertThat(TraceParent.of(List.of())).isEmpty();
    assertThat(TraceParent.of(List.of(new Header(TraceParent.HEADER, null)))).isEmpty();
    assertThat(TraceParent.of(List.of(header(VALID), header(VALID)))).isEmpty();
    assertThat(TraceParent.of(List.of(header(VALID + "-" + "x".repeat(600))))).isEmpty();
  }

  @Test
  void readingLeavesTheHeaderAsItIs() {
    Header header = header(VALID);
    TraceParent.of(List.of(header));
    assertThat(header.getValue().remaining()).isEqualTo(VALID.length());
  }

  private static Header header(String value) {
    return header(TraceParent.HEADER, value);
  }

  private static Header header(String key, String value) {
    return new Header(key, ByteBuffer.wrap(value.getBytes(StandardCharsets.ISO_8859_1)));
  }
}
