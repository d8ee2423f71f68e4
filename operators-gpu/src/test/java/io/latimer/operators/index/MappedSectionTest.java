package io.latimer.operators.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class MappedSectionTest {
  private static ByteBuffer numbers(int from, int to) {
    ByteBuffer bytes = ByteBuffer.allocate(8 * (to - from)).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = from; i < to; i++) {
      bytes.putLong(0x1_0000_0001L * i);
    }
    return bytes.flip();
  }

  /** Parts that end within pieces of 256 bytes, and at their ends. */
  @Test
  void isWrittenInPartsToMemory() {
    for (int size : new int[] {0, 1, 31, 32, 33, 64, 100}) {
      MappedSection section =
          MappedSection.inMemory(
              8L * size,
              out -> {
                out.accept(numbers(0, size / 3));
                out.accept(numbers(size / 3, size));
              },
              8);
      assertThat(section.length()).isEqualTo(8L * size);
      assertThat(section.pieces()).hasSize((size + 31) / 32);
      for (int i = 0; i < size; i++) {
        assertThat(section.getLong(8L * i)).isEqualTo(0x1_0000_0001L * i);
        assertThat(section.getInt(8L * i + 4)).isEqualTo(i);
      }
      assertThat(section.pieces().stream().mapToInt(ByteBuffer::remaining).sum())
          .isEqualTo(8 * size);
    }
  }

  /** Where it ends within a piece, and where it fills all of them. */
  @Test
  void refusesMoreThanItsLength() {
    for (int size : new int[] {0, 1, 32, 40, 64}) {
      String message =
          "the section has " + 8 * size + " bytes, " + (8 * size + 8) + " were written";
      assertThatThrownBy(
              () -> MappedSection.inMemory(8L * size, out -> out.accept(numbers(0, size + 1)), 8))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(message);
      assertThatThrownBy(
              () ->
                  MappedSection.inMemory(
                      8L * size,
                      out -> {
                        out.accept(numbers(0, size));
                        out.accept(numbers(size, size + 1));
                      },
                      8))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(message);
    }
  }

  @Test
  void refusesLessThanItsLength() {
    assertThatThrownBy(() -> MappedSection.inMemory(16, out -> out.accept(numbers(0, 1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the section has 16 bytes, 8 were written");
  }
}
