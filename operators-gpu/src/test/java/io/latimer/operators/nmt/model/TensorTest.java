package io.latimer.operators.nmt.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Numbers of 16 bits are read as those of 32 bits are. */
class TensorTest {
  private static final int ROWS = 256;
  private static final int COLS = 256;

  /** Every number of 16 bits, in the order of its bits. */
  private static final Tensor HALF = half(ROWS * COLS);

  private static Tensor half(int count) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(2 * count).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < count; i++) {
      bytes.putShort(2 * i, (short) i);
    }
    return Tensor.float16(
        "half",
        count / COLS,
        COLS,
        bytes.asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN).asShortBuffer());
  }

  private static int bits(float value) {
    return Float.floatToRawIntBits(value);
  }

  @Test
  void everyNumberIsWidenedExactlyWhereverAPieceBegins() {
    float[] all = HALF.floats();
    float[] some = new float[20_003];
    HALF.numbers().read(8191, some, 1, 20_001);
    FloatBuffer last = FloatBuffer.allocate(9001).position(1);
    HALF.read(ROWS * COLS - 9000, last);
    for (int i = 0; i < ROWS * COLS; i++) {
      int expected = bits(Float16.toFloat((short) i));
      assertThat(bits(all[i])).isEqualTo(expected);
      assertThat(bits(HALF.get(i / COLS, i % COLS))).isEqualTo(expected);
      if (i >= 8191 && i < 8191 + 20_001) {
        assertThat(bits(some[i - 8191 + 1])).isEqualTo(expected);
      }
      if (i >= ROWS * COLS - 9000) {
        assertThat(bits(last.get(i - (ROWS * COLS - 9000) + 1))).isEqualTo(expected);
      }
    }
    assertThat(some[0]).isZero();
    assertThat(some[20_002]).isZero();
  }

  @Test
  void piecesAreAllNumbersInOrder() {
    List<Integer> starts = new ArrayList<>();
    int[] next = {0};
    HALF.forEachPiece(
        (from, values, count) -> {
          assertThat(from).isEqualTo(next[0]);
          assertThat(bits(values[count - 1]))
              .isEqualTo(bits(Float16.toFloat((short) (from + count - 1))));
          starts.add(from);
          next[0] = from + count;
        });
    assertThat(next[0]).isEqualTo(ROWS * COLS);
    assertThat(starts).hasSizeGreaterThan(1);
    Tensor.of("none", 0, 5, new float[0]).forEachPiece((from, values, count) -> starts.add(-1));
    assertThat(starts).doesNotContain(-1);
  }

  @Test
  void numbersThatAreNotFiniteAreFoundInBothForms() {
    assertThatThrownBy(() -> TensorShape.requireFinite("f: ", HALF))
        .isInstanceOf(ModelFormatException.class)
        .hasMessage("f: tensor half: expected finite weights, found Infinity in row 124, column 0");
    TensorShape.requireFinite("f: ", half(0x7c00)); // all below infinity
    float[] values = new float[3 * 10_000];
    values[20_001] = Float.NaN;
    assertThatThrownBy(() -> TensorShape.requireFinite("", Tensor.of("single", 3, 10_000, values)))
        .hasMessageEndingWith("found NaN in row 2, column 1");
  }

  @Test
  void refusesAnotherNumberOfNumbers() {
    assertThatThrownBy(() -> Tensor.of("w", 2, 3, new float[5]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("tensor w of 2 x 3 needs that many numbers, found 5");
    assertThatThrownBy(() -> new Tensor("w", 1 << 20, 1 << 11, HALF.numbers()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected 0 to 2^31 - 1 numbers");
  }

  @Test
  void aModelFileHoldsTensorsBelow2GiB() {
    stored(ModelSettings.NumberType.FLOAT16, 256_206, 2048).requireStorable("m", "e"); // 1.05 GB
    stored(ModelSettings.NumberType.FLOAT32, 256_206, 2048).requireStorable("m", "e"); // 2.1 GB
    assertThatThrownBy(
            () -> stored(ModelSettings.NumberType.FLOAT32, 262_144, 2048).requireStorable("m", "e"))
        .isInstanceOf(ModelFormatException.class)
        .hasMessage(
            "m: tensor e of 262144 x 2048 in 32 bits has 2,147,483,648 bytes, but a tensor may have"
                + " at most 2,147,483,647");
  }

  private static ModelSettings.Stored stored(ModelSettings.NumberType type, int rows, int cols) {
    return new ModelSettings.Stored(type, rows, cols);
  }
}
