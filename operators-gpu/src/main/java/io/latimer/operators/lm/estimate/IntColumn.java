package io.latimer.operators.lm.estimate;

import io.latimer.operators.util.TempFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;

/** A long array of ints, in Java's memory or in a temporary file. Initially zero. */
abstract class IntColumn {
  abstract int get(int i);

  abstract void set(int i, int value);

  final float getFloat(int i) {
    return Float.intBitsToFloat(get(i));
  }

  final void setFloat(int i, float value) {
    set(i, Float.floatToRawIntBits(value));
  }

  static final class InMemory extends IntColumn {
    private final int[] values;

    InMemory(int length) {
      this.values = new int[length];
    }

    @Override
    int get(int i) {
      return values[i];
    }

    @Override
    void set(int i, int value) {
      values[i] = value;
    }
  }

  static final class InFile extends IntColumn {
    private static final int SHIFT = 28; // pieces of 1 GiB: a buffer cannot hold 2
    private static final int MASK = (1 << SHIFT) - 1;

    private final IntBuffer[] pieces;

    InFile(TempFolder folder, int length) throws IOException {
      this.pieces =
          folder.map((long) length * Integer.BYTES, 1L << (SHIFT + 2)).stream()
              .map(ByteBuffer::asIntBuffer)
              .toArray(IntBuffer[]::new);
    }

    @Override
    int get(int i) {
      return pieces[i >>> SHIFT].get(i & MASK);
    }

    @Override
    void set(int i, int value) {
      pieces[i >>> SHIFT].put(i & MASK, value);
    }
  }
}
