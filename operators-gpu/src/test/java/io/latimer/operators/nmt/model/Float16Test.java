package io.latimer.operators.nmt.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class Float16Test {
  @Test
  void everyFiniteHalfSurvivesThereAndBack() {
    for (int bits = 0; bits < 0x10000; bits++) {
      if ((bits & 0x7c00) != 0x7c00) {
        float value = Float16.toFloat((short) bits);
        assertThat(value).isEqualTo(byDefinition(bits));
        assertThat(Float16.isExact(value)).isTrue();
        assertThat(Float16.ofExact(value)).isEqualTo((short) bits);
      }
    }
  }

  /** IEEE 754-2008 section 3.4 in doubles. */
  private static float byDefinition(int bits) {
    int exponent = bits >> 10 & 0x1f;
    double fraction = (bits & 0x3ff) / 1024.0;
    double magnitude =
        exponent == 0 ? fraction * Math.pow(2, -14) : (1 + fraction) * Math.pow(2, exponent - 15);
    return (float) ((bits & 0x8000) == 0 ? magnitude : -magnitude);
  }

  @Test
  void tellsWhatHasNoHalf() {
    for (float value :
        new float[] {0.1f, 65505, 65536, 1e30f, 0x1p-25f, 0x3p-25f, 1e-40f, 1.0001f}) {
      assertThat(Float16.isExact(value)).isFalse();
      assertThatThrownBy(() -> Float16.ofExact(value)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(Float16.toFloat((short) 0x7c00)).isInfinite();
    assertThat(Float16.toFloat((short) 0x7e00)).isNaN();
  }
}
