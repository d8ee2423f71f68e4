package io.latimer.operators.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ArenaSizesTest {
  @Test
  void buffersAreRoundedUpEach() {
    assertThat(Arena.bytesFor()).isZero();
    assertThat(Arena.bytesFor(0)).isEqualTo(256);
    assertThat(Arena.bytesFor(1, 256, 257)).isEqualTo(256 + 256 + 512);
    assertThat(Arena.bytesFor(1L << 40)).isEqualTo(1L << 40);
  }

  @Test
  void whatCannotBeAddedUpIsRefused() {
    assertThatThrownBy(() -> Arena.bytesFor(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Arena.bytesFor(Long.MAX_VALUE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Arena.bytesFor(Long.MAX_VALUE / 2, Long.MAX_VALUE / 2))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
