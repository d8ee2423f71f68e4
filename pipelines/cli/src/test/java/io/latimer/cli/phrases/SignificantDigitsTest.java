package io.latimer.cli.phrases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SignificantDigitsTest {

  /** Printed by C. */
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0.0, 0",
    "1, 1",
    "33, 33",
    "100, 100",
    "-2.5, -2.5",
    "0.5, 0.5",
    "0.0001, 0.0001",
    "0.00001, 1e-05",
    "0.000123456789012345, 0.000123456789012",
    "0.00012207031249999997, 0.0001220703125",
    "9.99999999999951e-5, 0.0001",
    "3.6496350365e-05, 3.6496350365e-05",
    "1e-10, 1e-10",
    "1e-300, 1e-300",
    "5e-324, 4.94065645841e-324",
    "0.30000000000000004, 0.3",
    "0.6666666666666666, 0.666666666667",
    "0.5636904343895, 0.563690434389",
    "0.5636904343895001, 0.56369043439",
    "0.9999999999995, 0.999999999999",
    "0.99999999999949, 0.999999999999",
    "999999999999, 999999999999",
    "999999999999.5, 1e+12",
    "1e12, 1e+12",
    "1234567890125, 1.23456789012e+12",
    "123456789012345678, 1.23456789012e+17",
    "1e22, 1e+22",
    "1.7976931348623157e308, 1.79769313486e+308"
  })
  void writesWhatCWrites(double value, String text) {
    assertThat(SignificantDigits.of(value)).isEqualTo(text);
  }

  @Test
  void isTheNearestNumberOfTwelveDigits() {
    SplittableRandom random = new SplittableRandom(1);
    MathContext digits = new MathContext(12, RoundingMode.HALF_EVEN);
    for (int i = 0; i < 100_000; i++) {
      double value =
          i % 2 == 0
              ? -Math.log10((1 + random.nextInt(1000)) / 1000.0) * (1 + i % 7)
              : random.nextDouble() * Math.pow(10, random.nextInt(-20, 20));
      String text = SignificantDigits.of(value);
      assertThat(new BigDecimal(text))
          .as(text)
          .isEqualByComparingTo(new BigDecimal(value).round(digits));
      assertThat(text).doesNotContainPattern("\\.[0-9]*0(e|$)").doesNotContain("-0.0e", "E");
    }
  }

  @Test
  void refusesWhatIsNoNumber() {
    assertThatThrownBy(() -> SignificantDigits.of(Double.NaN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected a finite number, found NaN");
    assertThatThrownBy(() -> SignificantDigits.of(Double.NEGATIVE_INFINITY))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
