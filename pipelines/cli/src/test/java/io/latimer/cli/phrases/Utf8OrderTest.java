package io.latimer.cli.phrases;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class Utf8OrderTest {
  private static final List<String> CHARACTERS =
      List.of(
          " ",
          "a",
          "\u007f",
          "\u0080",
          "\u07ff",
          "\u0800",
          "\ud7ff",
          "\ue000",
          "\uff61",
          "\uffff",
          "\ud800\udc00",
          "\ud800\udfff",
          "\ud83d\ude00",
          "\udbff\udfff");

  @Test
  void isThatOfTheBytes() {
    for (String one : CHARACTERS) {
      for (String other : CHARACTERS) {
        for (String end : CHARACTERS) {
          for (String start : List.of("", "a", "\ud83d\ude00")) {
            assertSame(start + one, start + other);
            assertSame(start + one + end, start + other);
            assertSame(start + one + end, start + other + "b");
          }
        }
      }
    }
  }

  private static void assertSame(String one, String other) {
    int bytes =
        Arrays.compareUnsigned(
            one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    assertThat(Integer.signum(Utf8Order.COMPARATOR.compare(one, other)))
        .as("%s and %s", one, other)
        .isEqualTo(Integer.signum(bytes));
  }
}
