package io.latimer.operators.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DecimalParserTest {
  private final DecimalParser parser = new DecimalParser();

  private boolean parse(String text) {
    byte[] bytes = ("x" + text + "\t7").getBytes(StandardCharsets.UTF_8);
    return parser.parse(bytes, 1, bytes.length - 2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "-0",
        "1",
        "-1.5",
        "+2",
        ".5",
        "5.",
        "-.25e2",
        "1e10",
        "1E-10",
        "1e+3",
        "-0.30102999566398119521",
        "123456789012345678901234567890",
        "3.4028236e38",
        "1e39",
        "-1e999999999999",
        "1e-46",
        "1.1754943e-38",
        "7.0064923216240854e-46",
        "1e-45",
        "16777217",
        "16777217.0000000001",
        "0.1e23",
        "1.00000005960464477539062500001",
        "1.000000059604644775390625",
        "1.000000178813934326171875"
      })
  void readsTheNearestFloat(String text) {
    assertThat(parse(text)).isTrue();
    assertThat(parser.value()).isEqualTo(Float.parseFloat(text));
    assertThat(parser.end()).isEqualTo(1 + text.length());
  }

  @Test
  void readsTheNearestFloatOfAnyDecimals() {
    Random random = new Random(4);
    for (int i = 0; i < 200_000; i++) {
      float value = Float.intBitsToFloat(random.nextInt());
      if (!Float.isFinite(value)) {
        continue;
      }
      double near = value + (random.nextInt(5) - 2) * (double) Math.ulp(value) / 4;
      String text =
          switch (i % 4) {
            case 0 -> Float.toString(value);
            case 1 -> Double.toString(near);
            case 2 -> String.format("%.7g", -random.nextDouble() * 100);
            default -> String.format("%.6f", -random.nextDouble() * 9);
          };
      assertThat(parse(text)).isTrue();
      assertThat(Float.floatToRawIntBits(parser.value()))
          .as(text)
          .isEqualTo(Float.floatToRawIntBits(Float.parseFloat(text)));
    }
  }

  @ParameterizedTest
  @CsvSource({"1.5.2, 3", "2e, 1", "2e+, 1", "3x, 1", "-inf, 4", "inf, 3", "1 2, 1", "1-2, 1"})
  void stopsWhereTheNumberDoes(String text, int length) {
    assertThat(parse(text)).isTrue();
    assertThat(parser.end()).isEqualTo(1 + length);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-", ".", "-.", "e5", "x", "NaN", ".inf", "+-1", "in"})
  void refusesWhatIsNoNumber(String text) {
    assertThat(parse(text)).isFalse();
  }
}
