package io.latimer.operators.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ShortFloatsTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0.0, 0",
    "1, 1",
    "-99, -99",
    "-0.5, -0.5",
    "100000, 100000",
    "-1.1887681, -1.1887681",
    "-0.00024191997, -0.00024191997",
    "1e-5, 0.00001",
    "-1.5e-9, -1.5e-9",
    "0.0001, 0.0001",
    "-0.1, -0.1",
    "0.3, 0.3",
    "999999.94, 999999.94",
  })
  void numbersAreWrittenPlainly(float number, String wanted) {
    assertThat(text(number)).isEqualTo(wanted);
  }

  @Test
  void everyNumberIsWrittenAsShortestDecimalWritesIt() {
    Random random = new Random(1);
    for (int i = 0; i < 300_000; i++) {
      float number =
          switch (i % 3) {
            case 0 -> Float.intBitsToFloat(random.nextInt());
            case 1 -> (float) Math.log10(random.nextDouble());
            default -> -random.nextInt(40) / (float) (1 << random.nextInt(24));
          };
      if (!Float.isFinite(number)) {
        continue;
      }
      String text = text(number);
      String wanted = number == 0 ? "0" : ShortestDecimal.of(number);
      if (!text.equals(wanted)) {
        throw new AssertionError(wanted + " is written as " + text);
      }
    }
  }

  private static String text(float number) {
    byte[] bytes = new byte[ShortFloats.LONGEST + 2];
    int end = ShortFloats.put(number, bytes, 1);
    if (end < 2 || end > ShortFloats.LONGEST + 1) {
      throw new AssertionError(number + " takes the bytes from 1 to " + end);
    }
    return new String(bytes, 1, end - 1, StandardCharsets.US_ASCII);
  }
}
