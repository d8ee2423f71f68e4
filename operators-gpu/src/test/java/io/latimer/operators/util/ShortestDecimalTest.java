package io.latimer.operators.util;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.lm.KenlmOutput;
import io.latimer.operators.testing.SharedData;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShortestDecimalTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0.0, -0",
    "1, 1",
    "-2, -2",
    "-0.4, -0.4",
    "-100.30103, -100.30103",
    "123456789, 123456790",
    "1e20, 100000000000000000000",
    "1e21, 1e21",
    "-1.5e21, -1.5e21",
    "1e-6, 0.000001",
    "1e-7, 1e-7",
    "-1.2942986e-7, -1.2942986e-7",
    "1.4e-45, 1e-45",
    "3.4028235e38, 3.4028235e38",
    "9.8607613e-32, 9.8607613e-32",
    "8.41e21, 8.41e21",
    "2.0e-44, 2e-44",
    "0.5, 0.5",
    "0.0625, 0.0625",
    "33554432, 33554432",
    "-Infinity, -inf",
    "Infinity, inf",
    "NaN, NaN"
  })
  void writesFloats(float value, String text) {
    assertThat(ShortestDecimal.of(value)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "511.42684947138173, 511.42684947138173",
    "17220663176.969055, 17220663176.969055",
    "0.1, 0.1",
    "5e-324, 5e-324",
    "1.7976931348623157e308, 1.7976931348623157e308",
    "2, 2",
    "9007199254740993, 9007199254740992"
  })
  void writesDoubles(double value, String text) {
    assertThat(ShortestDecimal.of(value)).isEqualTo(text);
  }

  @Test
  void noShorterDecimalGivesAFloatBackAndNoneAsShortIsNearer() {
    Random random = new Random(6);
    for (int i = 0; i < 60_000; i++) {
      float value =
          i % 3 == 0
              ? Float.intBitsToFloat(random.nextInt())
              : i % 3 == 1 ? -random.nextFloat() * 12 : random.nextFloat() * random.nextInt(9999);
      if (!Float.isFinite(value) || value == 0) {
        continue;
      }
      String text = ShortestDecimal.of(value);
      assertThat(Float.parseFloat(text)).isEqualTo(value);
      BigDecimal found = new BigDecimal(text).stripTrailingZeros();
      BigDecimal whole = new BigDecimal(value);
      if (found.precision() > 1) {
        for (RoundingMode rounding : new RoundingMode[] {RoundingMode.UP, RoundingMode.DOWN}) {
          BigDecimal shorter = whole.round(new MathContext(found.precision() - 1, rounding));
          assertThat(Float.parseFloat(shorter.toString())).as(text).isNotEqualTo(value);
        }
      }
      BigDecimal nearest = whole.round(new MathContext(found.precision(), RoundingMode.HALF_EVEN));
      if (Float.parseFloat(nearest.toString()) == value) {
        assertThat(found).isEqualByComparingTo(nearest);
      }
    }
  }

  @Test
  void writesWhatKenlmWrites() {
    Pattern number = Pattern.compile(" (-?[0-9.]+(e-?[0-9]+)?)\t");
    int seen = 0;
    for (byte[] line :
        KenlmOutput.lines(SharedData.require("data/lm/golden/golden.en5.kenlm.txt.gz"))) {
      Matcher matcher = number.matcher(new String(line, StandardCharsets.UTF_8));
      while (matcher.find()) {
        String text = matcher.group(1);
        assertThat(ShortestDecimal.of(Float.parseFloat(text))).isEqualTo(text);
        seen++;
      }
    }
    assertThat(seen).isEqualTo(40_561);
  }
}
